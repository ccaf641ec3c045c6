// Attention to several sources: each combination against a second implementation of its equations.
#include "nn/attention/source_mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/attention/attention.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::parameter;
using test::random_f64;
using test::TensorEq;
using test::TensorNear;

constexpr int64_t kQuerySize = 3, kMemorySize = 4;

/// Two lines with two sources each, of 3 and 2 positions and of 1 and 2 positions.
Memory two_sources() {
  const auto lengths = torch::tensor({5, 3}, torch::kInt64);
  const torch::Tensor mask = test::mask_of(lengths, 5);
  const torch::Tensor keys = random_f64({2, 5, kMemorySize}, 1) * mask.unsqueeze(2);
  Memory memory{keys, keys, mask, lengths};
  memory.columns =
      torch::tensor({0, 1, 2, 3, 4, 5, 0, 5, 5, 1, 2, 5}, torch::kInt64).view({2, 2, 3});
  return memory;
}

Attention mixture_of(Combination kind, ScoreKind score = ScoreKind::additive) {
  AttentionOptions options;
  options.score = score;
  options.size = 5;
  Attention attention(options, kQuerySize, kMemorySize, Projections::several_heads,
                      {.sources = 2, .combination = kind});
  test::randomize(attention, 7);
  return attention;
}

Attended attended_by(const Attention& attention, const torch::Tensor& query, const Memory& memory) {
  return attention.attend(query, attention.prepare(memory), {}, 0, 0.0);
}

/// Computes one query [H] over one line from the equations.
class PlainMixture {
 public:
  PlainMixture(const Attention& attention, torch::Tensor query, std::vector<torch::Tensor> sources)
      : attention_(attention), query_(std::move(query)), sources_(std::move(sources)) {}

  struct Answer {
    torch::Tensor context;
    torch::Tensor weights;
  };

  [[nodiscard]] Answer flat() const {
    std::vector<torch::Tensor> energies, values;
    for (std::size_t k = 0; k < 2; ++k) {
      energies.push_back(energy("score.", rows("key", k, sources_[k])));
      values.push_back(rows("value", k, sources_[k]));
    }
    const torch::Tensor weights = at::cat(energies).softmax(0);
    return {torch::matmul(weights, at::cat(values)), weights};
  }

  [[nodiscard]] Answer concat() const {
    return {at::cat({context(0), context(1)}), at::cat({weights(0) / 2, weights(1) / 2})};
  }

  [[nodiscard]] Answer gate() const {
    std::vector<torch::Tensor> gates, parts;
    for (std::size_t k = 0; k < 2; ++k) {
      const torch::Tensor own = torch::mv(of("sources.query", k), query_) +
                                parameter(attention_, name("sources.query", k) + ".bias");
      gates.push_back((own + torch::mv(of("sources.key", k), context(k))).sigmoid());
      parts.push_back(gates[k] * torch::mv(of("sources.value", k), context(k)));
    }
    const torch::Tensor means = torch::stack({gates[0].mean(), gates[1].mean()});
    const torch::Tensor shares = means / means.sum();
    return {parts[0] + parts[1], at::cat({shares[0] * weights(0), shares[1] * weights(1)})};
  }

  [[nodiscard]] Answer hierarchical() const {
    std::vector<torch::Tensor> energies, parts;
    const torch::Tensor asked = torch::mv(parameter(attention_, "sources.query.weight"), query_) +
                                parameter(attention_, "sources.query.bias");
    for (std::size_t k = 0; k < 2; ++k) {
      const torch::Tensor inner = (asked + torch::mv(of("sources.key", k), context(k))).tanh();
      energies.push_back(torch::mv(parameter(attention_, "sources.energy.weight"), inner));
      parts.push_back(torch::mv(of("sources.value", k), context(k)));
    }
    const torch::Tensor shares = at::cat(energies).softmax(0);
    return {shares[0] * parts[0] + shares[1] * parts[1],
            at::cat({shares[0] * weights(0), shares[1] * weights(1)})};
  }

 private:
  static std::string name(const std::string& part, std::size_t k) {
    return part + std::to_string(k + 1);
  }
  [[nodiscard]] torch::Tensor of(const std::string& part, std::size_t k) const {
    return parameter(attention_, name(part, k) + ".weight");
  }
  [[nodiscard]] torch::Tensor rows(const std::string& part, std::size_t k,
                                   const torch::Tensor& x) const {
    return torch::matmul(x, of("sources." + part, k).t());
  }
  [[nodiscard]] torch::Tensor energy(const std::string& score, const torch::Tensor& keys) const {
    const torch::Tensor inner =
        torch::matmul(keys, parameter(attention_, score + "key_weight").t()) +
        torch::mv(parameter(attention_, score + "query_weight"), query_) +
        parameter(attention_, score + "bias");
    return torch::mv(inner.tanh(), parameter(attention_, score + "vector"));
  }
  [[nodiscard]] torch::Tensor weights(std::size_t k) const {
    return energy(k == 0 ? "score." : "sources.score2.", sources_[k]).softmax(0);
  }
  [[nodiscard]] torch::Tensor context(std::size_t k) const {
    return torch::matmul(weights(k), sources_[k]);
  }

  const Attention& attention_;
  torch::Tensor query_;
  std::vector<torch::Tensor> sources_;
};

PlainMixture::Answer answer_of(Combination kind, const PlainMixture& plain) {
  if (kind == Combination::flat) return plain.flat();
  if (kind == Combination::concat) return plain.concat();
  return kind == Combination::gate ? plain.gate() : plain.hierarchical();
}

class SourceMixtureOf : public testing::TestWithParam<Combination> {};

TEST_P(SourceMixtureOf, EqualsItsEquationsNumberByNumber) {
  const Attention attention = mixture_of(GetParam());
  const Memory memory = two_sources();
  const auto query = random_f64({2, 3, kQuerySize}, 4);
  const Attended attended = attended_by(attention, query, memory);
  const std::vector<std::vector<int64_t>> sizes{{3, 2}, {1, 2}};
  for (int64_t line = 0; line < 2; ++line) {
    const auto& [first, second] = std::pair(sizes[static_cast<std::size_t>(line)][0],
                                            sizes[static_cast<std::size_t>(line)][1]);
    for (int64_t t = 0; t < 3; ++t) {
      const PlainMixture plain(
          attention, query[line][t],
          {memory.keys[line].narrow(0, 0, first), memory.keys[line].narrow(0, first, second)});
      const PlainMixture::Answer expected = answer_of(GetParam(), plain);
      EXPECT_THAT(attended.context[line][t], TensorNear(expected.context, 1e-12));
      EXPECT_THAT(attended.weights[line][t].narrow(0, 0, first + second),
                  TensorNear(expected.weights, 1e-12));
    }
  }
  EXPECT_EQ(attention.context_size(),
            GetParam() == Combination::concat ? 2 * kMemorySize : kMemorySize);
  EXPECT_THAT(attended.weights[1].narrow(1, 3, 2), TensorEq(torch::zeros({3, 2}, torch::kFloat64)));
}

TEST_P(SourceMixtureOf, GradientsMatchCentralDifferences) {
  const Attention attention = mixture_of(GetParam(), ScoreKind::general);
  const auto query = random_f64({2, 3, kQuerySize}, 4);
  const Memory memory = two_sources();
  const auto function = [&] {
    return attended_by(attention, query, memory).context.square().sum();
  };
  EXPECT_LT(test::max_directional_error(function, test::leaves(attention, {query, memory.keys})),
            1e-6);
}

TEST_P(SourceMixtureOf, ReadersOfSharedAndSelectedMemoriesSeeTheSame) {
  const Attention attention = mixture_of(GetParam());
  const PreparedMemory memory = attention.prepare(two_sources());
  const auto rows = torch::tensor({1, 0, 0}, torch::kInt64);
  const auto query = random_f64({2, 1, kQuerySize}, 4);
  const auto expected = attention.attend(query, memory, {}, 0, 0.0).context.index_select(0, rows);
  const auto of = [&](const PreparedMemory& picked) {
    return attention.attend(query.index_select(0, rows), picked, {}, 0, 0.0).context;
  };
  EXPECT_THAT(of(memory.select(rows)), TensorNear(expected, 1e-12));
  EXPECT_THAT(of(memory.with_owners().select(rows)), TensorNear(expected, 1e-12));
}

TEST_P(SourceMixtureOf, OnePositionAloneGetsAllTheWeight) {
  const Attention attention = mixture_of(GetParam());
  const PreparedMemory memory = attention.prepare(two_sources());
  const auto query = random_f64({2, 1, kQuerySize}, 4);
  const auto only = torch::tensor({3, -1}, torch::kInt64);
  const Attended attended = attention.attend(query, memory.restrict_to(only), {}, 0, 0.0);
  EXPECT_THAT(attended.weights[0][0], TensorEq(test::f64({0, 0, 0, 1, 0}, {5})));
  EXPECT_THAT(attended.context.isfinite().all(), TensorEq(torch::tensor(true)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SourceMixtureOf, testing::ValuesIn(enum_values<Combination>()),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(SourceMixture, RefusesForcedWeightsUnlessItIsFlat) {
  const torch::Tensor query = random_f64({2, 1, kQuerySize}, 2);
  for (const Combination kind : enum_values<Combination>()) {
    const Attention attention = mixture_of(kind);
    PreparedMemory memory = attention.prepare(two_sources());
    memory.forced_weights = torch::full({2, 1, 5}, 0.2, torch::kFloat64);
    if (kind == Combination::flat) {
      EXPECT_NO_THROW((void)attention.attend(query, memory, {}, 0, 0.0));
    } else {
      EXPECT_THROW((void)attention.attend(query, memory, {}, 0, 0.0), std::logic_error);
    }
  }
}

}  // namespace
}  // namespace attend::nn
