#include "model/memory/memory_encoder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "core/error.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::parameter;
using test::random_f64;
using test::sentences;
using test::TensorEq;
using test::TensorNear;
using testing::HasSubstr;

constexpr text::TokenId kBetween = 9, kNoBlank = -1;
constexpr int64_t kWidth = 3;  // size of one part of a word's vector

MemoryEncoderOptions memory_options(const HopOptions& hops) {
  return {.hops = hops, .separator = kBetween};
}

std::shared_ptr<MemoryEncoder> make(const HopOptions& hops) {
  auto encoder = std::make_shared<MemoryEncoder>(memory_options(hops), word_parts(hops) * kWidth);
  test::randomize(*encoder, 3);
  encoder->eval();
  return encoder;
}

/// The lines have: facts of 2, 1 and 3 words and a question of 2; one fact and no question; only a
/// question; two facts, the first without words.
data::SentenceBatch lines() {
  return sentences(
      {{4, 5, 9, 6, 9, 7, 8, 4, 9, 5, 6, 3}, {7, 8, 9, 3}, {4, 6, 3}, {9, 5, 4, 9, 8, 3}});
}

torch::Tensor vectors(const data::SentenceBatch& source, const HopOptions& hops) {
  return random_f64({source.ids.size(0), source.ids.size(1), word_parts(hops) * kWidth}, 4);
}

using Vector = std::vector<double>;

/// Recomputes one line number by number, following the paper.
class PlainMemoryNetwork {
 public:
  PlainMemoryNetwork(const MemoryEncoder& encoder, const HopOptions& hops, const torch::Tensor& ids,
                     torch::Tensor embedded)
      : hops_(hops), embedded_(std::move(embedded)), times_(parameter(encoder, "times.weight")) {
    if (hops_.tying == HopTying::layer_wise) between_ = parameter(encoder, "between.weight");
    segments_.emplace_back();
    for (int64_t s = 0; s < ids.size(0); ++s) {
      const auto id = ids[s].item<int64_t>();
      if (id == kBetween) segments_.emplace_back();
      if (id != kBetween && id != text::kEos && id != text::kPad) segments_.back().push_back(s);
    }
  }

  /// The weights of the facts, beginning with the fact nearest to the question, and u after each
  /// hop.
  struct Hop {
    Vector weights;
    Vector question;
  };
  [[nodiscard]] std::vector<Hop> run() const {
    const bool adjacent = hops_.tying == HopTying::adjacent;
    Vector question = sum(segments_.back(), adjacent ? 0 : 2);
    std::vector<Hop> all;
    for (int64_t hop = 0; hop < hops_.count; ++hop) {
      all.push_back(step(question, adjacent ? hop : 0, adjacent ? hop + 1 : 1));
      question = all.back().question;
    }
    return all;
  }

  /// A fact's vector for a part, with its time.
  [[nodiscard]] Vector slot(std::size_t fact, int64_t part) const {
    Vector vector = sum(segments_[segments_.size() - 2 - fact], part);
    for (int64_t k = 0; k < kWidth; ++k) {
      vector[static_cast<std::size_t>(k)] +=
          times_[static_cast<int64_t>(fact)][part * kWidth + k].item<double>();
    }
    return vector;
  }

 private:
  [[nodiscard]] Vector sum(const std::vector<int64_t>& words, int64_t part) const {
    Vector vector(kWidth, 0.0);
    const auto size = static_cast<double>(words.size());
    for (std::size_t j = 0; j < words.size(); ++j) {
      for (int64_t k = 0; k < kWidth; ++k) {
        const double place = static_cast<double>(j + 1) / size;
        const double feature = static_cast<double>(k + 1) / kWidth;
        const double weight =
            hops_.words == FactWords::bag ? 1.0 : 1 - place - feature * (1 - 2 * place);
        vector[static_cast<std::size_t>(k)] +=
            weight * embedded_[words[j]][part * kWidth + k].item<double>();
      }
    }
    return vector;
  }

  [[nodiscard]] Hop step(const Vector& question, int64_t input, int64_t output) const {
    const std::size_t facts = std::min(segments_.size() - 1, static_cast<std::size_t>(hops_.slots));
    Hop hop{Vector(facts), Vector(kWidth, 0.0)};
    double total = 0;
    for (std::size_t i = 0; i < facts; ++i) {
      const Vector memory = slot(i, input);
      for (std::size_t k = 0; k < kWidth; ++k) hop.weights[i] += question[k] * memory[k];
      total += std::exp(hop.weights[i]);
    }
    for (double& weight : hop.weights) {
      if (hops_.weights == FactWeights::softmax) weight = std::exp(weight) / total;
    }
    for (std::size_t k = 0; k < kWidth; ++k) {
      hop.question[k] = between_.defined() ? 0.0 : question[k];
      for (std::size_t l = 0; between_.defined() && l < kWidth; ++l) {
        hop.question[k] +=
            between_[static_cast<int64_t>(k)][static_cast<int64_t>(l)].item<double>() * question[l];
      }
      for (std::size_t i = 0; i < facts; ++i) {
        hop.question[k] += hop.weights[i] * slot(i, output)[k];
      }
    }
    return hop;
  }

  HopOptions hops_;
  torch::Tensor embedded_;
  torch::Tensor times_;
  torch::Tensor between_;
  std::vector<std::vector<int64_t>> segments_;
};

torch::Tensor tensor(const Vector& numbers) {
  return test::f64(numbers, {static_cast<int64_t>(numbers.size())});
}

class MemoryEncoderOf : public testing::TestWithParam<HopOptions> {};

TEST_P(MemoryEncoderOf, HopsAsThePaperNumberByNumber) {
  const auto encoder = make(GetParam());
  const data::SentenceBatch source = lines();
  const torch::Tensor embedded = vectors(source, GetParam());
  const EncoderOutput output = encoder->encode(embedded, source).front();
  ASSERT_EQ(output.summary.size(), 1U);
  for (int64_t row = 0; row < source.ids.size(0); ++row) {
    const PlainMemoryNetwork plain(*encoder, GetParam(), source.ids[row], embedded[row]);
    const auto hops = plain.run();
    const torch::Tensor answer = tensor(hops.back().question);
    EXPECT_THAT(output.summary[0].hidden[row], TensorNear(answer, 1e-12)) << row;
    const int64_t end = source.lengths[row].item<int64_t>() - 1;
    EXPECT_THAT(output.outputs[row][end], TensorNear(answer, 1e-12)) << row;
  }
  // The first word of the first line belongs to the third fact before the question.
  const PlainMemoryNetwork plain(*encoder, GetParam(), source.ids[0], embedded[0]);
  const int64_t part = GetParam().tying == HopTying::adjacent ? GetParam().count : 1;
  const bool seen = GetParam().slots > 2;
  EXPECT_THAT(output.outputs[0][0],
              TensorNear(seen ? tensor(plain.slot(2, part)) : torch::zeros({3}), 1e-12));
  EXPECT_THAT(output.outputs[0][3], TensorNear(tensor(plain.slot(1, part)), 1e-12));
}

TEST_P(MemoryEncoderOf, ShowsTheWeightsOfEachHopAtTheWordsOfTheFacts) {
  const auto encoder = make(GetParam());
  const data::SentenceBatch source = lines();
  const torch::Tensor embedded = vectors(source, GetParam());
  const TracedEncoding traced = encoder->trace(embedded, source);
  ASSERT_EQ(traced.self.size(), encoder->self_attention_heads().size());
  if (GetParam().weights == FactWeights::linear) {
    EXPECT_TRUE(traced.self.empty());
    return;
  }
  const PlainMemoryNetwork plain(*encoder, GetParam(), source.ids[0], embedded[0]);
  const auto hops = plain.run();
  ASSERT_EQ(traced.self.size(), hops.size());
  for (std::size_t hop = 0; hop < hops.size(); ++hop) {
    Vector weights = hops[hop].weights;
    weights.resize(3, 0.0);  // facts beyond the slots
    // a a | b | c c c | q q: the words of a fact share its weight.
    const torch::Tensor expected =
        tensor({weights[2] / 2, weights[2] / 2, 0, weights[1], 0, weights[0] / 3, weights[0] / 3,
                weights[0] / 3, 0, 0, 0, 0});
    for (int64_t row : {0, 11}) {
      EXPECT_THAT(traced.self[hop][0][0][row], TensorNear(expected, 1e-12)) << hop;
    }
  }
}

TEST_P(MemoryEncoderOf, EachLineAloneIsAsInTheBatch) {
  const auto encoder = make(GetParam());
  const data::SentenceBatch source = lines();
  const torch::Tensor embedded = vectors(source, GetParam());
  const EncoderOutput together = encoder->encode(embedded, source).front();
  for (int64_t row = 0; row < source.ids.size(0); ++row) {
    const auto only = torch::tensor({row}, torch::kInt64);
    const data::SentenceBatch alone = test::repadded(test::select(source, only), 0);
    const int64_t steps = alone.ids.size(1);
    const EncoderOutput output =
        encoder->encode(embedded.index_select(0, only).slice(1, 0, steps), alone).front();
    EXPECT_THAT(output.summary[0].hidden[0], TensorNear(together.summary[0].hidden[row], 1e-12));
    EXPECT_THAT(output.outputs[0], TensorNear(together.outputs[row].slice(0, 0, steps), 1e-12));
  }
}

HopOptions hops_of(HopTying tying, FactWords words, int64_t slots, FactWeights weights) {
  return {.count = 2, .tying = tying, .words = words, .slots = slots, .weights = weights};
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MemoryEncoderOf,
    testing::Values(hops_of(HopTying::adjacent, FactWords::position, 50, FactWeights::softmax),
                    hops_of(HopTying::layer_wise, FactWords::position, 50, FactWeights::softmax),
                    hops_of(HopTying::adjacent, FactWords::bag, 50, FactWeights::softmax),
                    hops_of(HopTying::adjacent, FactWords::position, 2, FactWeights::softmax),
                    hops_of(HopTying::layer_wise, FactWords::bag, 50, FactWeights::linear)),
    [](const auto& test_case) {
      const HopOptions& hops = test_case.param;
      return fmt::format("{}_{}_{}_{}", hops.tying, hops.words, hops.slots, hops.weights);
    });

// With d = 2 features, word 1 of 2 has 1/2 - k/2 (1 - 1) = 1/2 in both; word 2 of 2 has 0 - k/2 (1
// - 2) = k/2, which is 1/2 and 1.
TEST(Segments, EncodePositionsByHand) {
  const data::SentenceBatch source = sentences({{4, 5, 9, 6, 3}});
  const Segments segments(source, kBetween, kNoBlank);
  EXPECT_THAT(segments.position_encoding(2, random_f64({1}, 1))[0].slice(0, 0, 2),
              TensorNear(test::f64({0.5, 0.5, 0.5, 1}, {2, 2}), 1e-12));
}

TEST(Segments, CountFactsBackFromTheQuestion) {
  const data::SentenceBatch source = lines();
  const Segments segments(source, kBetween, kNoBlank);
  EXPECT_THAT(segments.facts, TensorEq(torch::tensor({3, 1, 0, 2}, torch::kInt64)));
  EXPECT_THAT(segments.fact[0].masked_select(segments.words[0]),
              TensorEq(torch::tensor({2, 2, 1, 0, 0, 0, -1, -1}, torch::kInt64)));
  EXPECT_THAT(segments.place[0].masked_select(segments.words[0]),
              TensorEq(torch::tensor({1, 2, 1, 1, 2, 3, 1, 2}, torch::kInt64)));
}

// Regression: SentencePiece cuts " ||| " into a blank and the separator, and the blank was a word.
TEST(Segments, DoNotCountALoneBlankAsAWord) {
  constexpr text::TokenId kBlank = 7;
  const Segments with(sentences({{4, 5, kBlank, kBetween, 6, 3}}), kBetween, kBlank);
  EXPECT_THAT(with.words[0],
              TensorEq(torch::tensor({true, true, false, false, true, false}, torch::kBool)));
  EXPECT_THAT(with.size[0].slice(0, 0, 2), TensorEq(torch::tensor({2, 2}, torch::kInt64)));
  EXPECT_EQ(with.place[0][4].item<int64_t>(), 1);
}

TEST(MemoryEncoder, StrewsEmptySlotsInInTrainingOnly) {
  HopOptions hops = hops_of(HopTying::adjacent, FactWords::position, 50, FactWeights::softmax);
  hops.empty_slots = 0.5;
  const auto encoder = make(hops);
  const data::SentenceBatch source = lines();
  const torch::Tensor embedded = vectors(source, hops);
  const auto answer = [&] { return encoder->encode(embedded, source).front().summary[0].hidden; };
  const torch::Tensor expected = answer();
  EXPECT_THAT(answer(), TensorEq(expected));
  torch::manual_seed(1);
  encoder->train();
  const torch::Tensor strewn = answer();
  EXPECT_FALSE(torch::allclose(strewn[0], expected[0]));
  EXPECT_THAT(strewn[2], TensorEq(expected[2]));  // a line without facts gets no empty slots
}

// The memory has one slot. If an empty slot takes its place, no fact is left.
TEST(MemoryEncoder, FactsMoveBackByTheEmptySlotsBeforeThem) {
  HopOptions hops = hops_of(HopTying::adjacent, FactWords::position, 1, FactWeights::softmax);
  hops.empty_slots = 0.95;
  const auto encoder = make(hops);
  encoder->train();
  const data::SentenceBatch source = sentences({{4, 5, 9, 6, 3}});
  const torch::Tensor embedded = vectors(source, hops);
  int empty = 0;
  for (int i = 0; i < 40; ++i) {
    const torch::Tensor at_fact = encoder->encode(embedded, source).front().outputs[0][0];
    empty += at_fact.abs().sum().item<double>() == 0.0 ? 1 : 0;
  }
  EXPECT_GT(empty, 30);
}

TEST(MemoryEncoder, AsksForASeparator) {
  MemoryEncoderOptions options = memory_options({});
  options.separator = -1;
  EXPECT_THAT([&] { MemoryEncoder(options, /*embedding=*/12); },
              testing::ThrowsMessage<ConfigError>(HasSubstr("data.segments.separator")));
}

}  // namespace
}  // namespace attend::model
