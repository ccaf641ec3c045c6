#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "decode/forced/forced.h"
#include "decode/search/search.h"
#include "decode/step/seq2seq_step_model.h"
#include "tests/decode/small_transformer.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::Tokens;
using ::testing::SizeIs;

/// How far scores of two ways to compute in float may be apart. Processors order the sums of a
/// product differently, and the weights below enlarge the rounding.
constexpr double kScoreTolerance = 1e-4;

/// A small model with weights so large that the outputs are far from uniform.
std::unique_ptr<model::Seq2Seq> make_model(model::WiringKind wiring) {
  model::ModelOptions options;
  options.embedding = 6;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 4;
  auto& decoder = std::get<model::RecurrentDecoderOptions>(options.decoder);
  decoder.hidden = 8;
  decoder.wiring = wiring;
  auto model = std::make_unique<model::Seq2Seq>(options, 20, 11);
  model::initialize(*model, 5);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.mul_(8.0);
  model->eval();
  return model;
}

SearchOptions six_best() {
  SearchOptions options;
  options.decoding.beam = 6;
  options.decoding.max_length_ratio = 0.0;
  options.n_best = 6;
  return options;
}

class Seq2SeqSearch : public ::testing::TestWithParam<model::WiringKind> {
 protected:
  std::unique_ptr<model::Seq2Seq> model_ = make_model(GetParam());
  std::vector<Tokens> sources_ = test::make_sources({3, 7, 1, 5});
  std::vector<NBest> found_ =
      search(Seq2SeqStepModel(*model_), test::sentences_of(sources_), six_best());
};

/// Forced decoding of all hypotheses of one sentence.
std::vector<ForcedDecoding> forced(const model::Seq2Seq& model, const Tokens& source,
                                   const NBest& hypotheses) {
  std::vector<Tokens> targets;
  for (const auto& hypothesis : hypotheses) targets.push_back(hypothesis.tokens);
  const std::vector<Tokens> copies(hypotheses.size(), source);
  return force_decode(model, data::pad(copies), targets, /*keep_attention=*/true);
}

TEST_P(Seq2SeqSearch, FindsTheSameByTheFormsForDevices) {
  const nn::ExecutionScope scope(nn::Execution{.device_path = true});
  const auto found = search(Seq2SeqStepModel(*model_), test::sentences_of(sources_), six_best());
  ASSERT_EQ(found.size(), found_.size());
  for (std::size_t s = 0; s < found.size(); ++s) {
    ASSERT_EQ(found[s].size(), found_[s].size());
    for (std::size_t i = 0; i < found[s].size(); ++i) {
      EXPECT_EQ(found[s][i].tokens, found_[s][i].tokens);
      EXPECT_NEAR(found[s][i].log_prob, found_[s][i].log_prob, kScoreTolerance);
    }
  }
}

TEST_P(Seq2SeqSearch, GivesTheLogProbabilityThatForcedDecodingGives) {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    ASSERT_THAT(found_[s], SizeIs(6));
    const auto expected = forced(*model_, sources_[s], found_[s]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found_[s][i].log_prob, expected[i].log_prob(), kScoreTolerance);
      EXPECT_THAT(expected[i].token_log_probs, SizeIs(found_[s][i].tokens.size() + 1));
    }
  }
}

TEST_P(Seq2SeqSearch, GivesTheAttentionThatForcedDecodingGives) {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const auto expected = forced(*model_, sources_[s], found_[s]);
    ASSERT_THAT(expected, SizeIs(6));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found_[s][i].attention.defined(), expected[i].attention.defined());
      if (!expected[i].attention.defined()) continue;
      ASSERT_EQ(found_[s][i].attention.sizes(), expected[i].attention.sizes());
      EXPECT_TRUE(torch::allclose(found_[s][i].attention, expected[i].attention, 1e-4, 1e-5));
    }
  }
}

TEST_P(Seq2SeqSearch, FindsTheSameInABatchAsOneByOne) {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const auto alone =
        search(Seq2SeqStepModel(*model_), test::sentences_of({sources_[s]}), six_best());
    ASSERT_EQ(alone[0].size(), found_[s].size());
    for (std::size_t i = 0; i < alone[0].size(); ++i) {
      EXPECT_EQ(alone[0][i].tokens, found_[s][i].tokens);
      EXPECT_NEAR(alone[0][i].score, found_[s][i].score, kScoreTolerance);
    }
  }
}

/// The largest difference between the scores of two searches that found the same sentences;
/// otherwise 1e9.
double distance(const std::vector<NBest>& a, const std::vector<NBest>& b) {
  double largest = 0.0;
  for (std::size_t s = 0; s < a.size(); ++s) {
    if (a[s].size() != b[s].size()) return 1e9;
    for (std::size_t i = 0; i < a[s].size(); ++i) {
      if (a[s][i].tokens != b[s][i].tokens) return 1e9;
      largest = std::max(largest, std::abs(a[s][i].score - b[s][i].score));
    }
  }
  return largest;
}

TEST_P(Seq2SeqSearch, FindsTheSameByFusedKernelsAsByPlainOperations) {
  StepExecution plain;
  plain.fused = false;
  const auto expected =
      search(Seq2SeqStepModel(*model_, plain), test::sentences_of(sources_), six_best());
  EXPECT_LT(distance(found_, expected), kScoreTolerance);
  for (std::size_t s = 0; s < expected.size(); ++s) {
    if (!expected[s][0].attention.defined()) continue;
    EXPECT_TRUE(torch::allclose(found_[s][0].attention, expected[s][0].attention, 1e-4, 1e-5));
  }
}

TEST_P(Seq2SeqSearch, ScoresTheFirstTokensAlmostTheSameInNarrowTypes) {
  for (const kernels::WeightType type : {kernels::WeightType::bf16, kernels::WeightType::int8}) {
    if (!kernels::has_packed(type)) continue;
    StepExecution narrow;
    narrow.weights = type;
    const Seq2SeqStepModel model(*model_, narrow), exact(*model_);
    const std::vector input = {data::pad(sources_)};
    const torch::Tensor start = torch::full({4}, text::kBos, torch::kInt64);
    const torch::Tensor expected = exact.start(input)->step(start).logits.log_softmax(1);
    const torch::Tensor found = model.start(input)->step(start).logits.log_softmax(1);
    EXPECT_GT((found - expected).abs().max().item<double>(), 0.0);  // the type was used
    // The bound is relative to the states, because `answer` adds unbounded values, which are large
    // in this model.
    EXPECT_LT((found - expected).abs().mean().item<double>(),
              0.05 * expected.abs().mean().item<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Wirings, Seq2SeqSearch,
                         ::testing::ValuesIn(enum_values<model::WiringKind>()),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(TransformerSearch, LeavesOutUnusedAttention) {
  const auto model = test::small_transformer(11);
  const Seq2SeqStepModel steps(*model);
  const std::vector sources{data::pad(test::make_sources({3, 7}))};
  const torch::Tensor start = torch::full({2}, text::kBos, torch::kInt64);
  const StepScores with = steps.start(sources)->step(start);
  const auto session = steps.start(sources);
  session->skip_attention();
  const StepScores without = session->step(start);

  EXPECT_TRUE(with.weights.defined());
  EXPECT_FALSE(without.weights.defined());
  EXPECT_FALSE(without.heads.defined());
  EXPECT_TRUE(torch::equal(with.logits, without.logits));
}

TEST(TransformerSearch, PenalisesLackOfCoverageByAttentionThatIsNotKept) {
  const auto model = test::small_transformer(11);
  const Seq2SeqStepModel steps(*model);
  const auto input = test::sentences_of(test::make_sources({3, 7, 1, 5}));
  SearchOptions options = six_best();
  options.decoding.coverage_penalty = 0.5;
  options.keep_attention = true;
  const auto kept = search(steps, input, options);
  options.keep_attention = false;
  const auto dropped = search(steps, input, options);

  EXPECT_EQ(distance(kept, dropped), 0.0);
  EXPECT_TRUE(kept[0][0].attention.defined());
  EXPECT_FALSE(dropped[0][0].attention.defined());
}

TEST(ForceDecode, ScoresTheEmptyTarget) {
  const auto model = make_model(model::WiringKind::luong);
  const auto source = data::pad(test::make_sources({3}));
  const std::vector<Tokens> targets(1);

  const auto result = force_decode(*model, source, targets, /*keep_attention=*/true);

  ASSERT_THAT(result[0].token_log_probs, SizeIs(1));
  EXPECT_LT(result[0].log_prob(), 0.0);
  EXPECT_EQ(result[0].attention.sizes(), (torch::IntArrayRef{1, 4}));
}

TEST(ForceDecode, SumsTheProbabilityOfAllOutputsOfOneTokenToOne) {
  const auto model = make_model(model::WiringKind::luong);
  std::vector<Tokens> targets(1);
  for (text::TokenId token = 0; token < 11; ++token) {
    if (token != text::kEos) targets.push_back({token});
  }
  const std::vector<Tokens> sources(targets.size(), test::make_sources({3})[0]);

  const auto results = force_decode(*model, data::pad(sources), targets, false);

  double sum = 0.0;
  for (const auto& result : results) sum += std::exp(result.token_log_probs[0]);
  EXPECT_NEAR(sum, 1.0, 1e-5);
}

/// The targets `begin` + each token; kEos stands for `begin` itself.
std::vector<Tokens> continuations(const Tokens& begin) {
  std::vector<Tokens> targets;
  for (text::TokenId token = 0; token < 11; ++token) {
    targets.push_back(begin);
    if (token != text::kEos) targets.back().push_back(token);
  }
  return targets;
}

// Tries every token at the first and second place, so the most probable one there is known.
TEST(ForceDecode, CountsTheTokensThatAreMostProbable) {
  const auto model = make_model(model::WiringKind::luong);
  const auto source = test::make_sources({3})[0];
  const auto force = [&](const std::vector<Tokens>& targets) {
    return force_decode(*model, data::pad(std::vector(targets.size(), source)), targets, false);
  };
  const auto best_at = [&](const Tokens& begin) {
    const auto results = force(continuations(begin));
    const auto log_prob = [&](const auto& result) { return result.token_log_probs[begin.size()]; };
    return std::ranges::max_element(results, {}, log_prob) - results.begin();
  };
  const auto first = best_at({});
  ASSERT_NE(first, text::kEos);
  int64_t right = 0;
  for (text::TokenId token = 0; token < 11; ++token) {
    if (token == text::kEos) continue;
    const int64_t expected = (token == first ? 1 : 0) + (best_at({token}) == text::kEos ? 1 : 0);
    EXPECT_EQ(force({{token}})[0].right_tokens, expected) << token;
    right += expected;
  }
  EXPECT_GT(right, 0);
}

TEST(ForceDecode, ScoresABatchOfThousandsOfWordsLikeItsParts) {
  const auto model = make_model(model::WiringKind::luong);
  std::vector<Tokens> targets;
  for (text::TokenId i = 0; i < 350; ++i) targets.push_back({4 + i % 7, 4 + i / 7 % 7, 5, 6, 7, 8});
  const auto source = test::make_sources({3})[0];

  const auto together =
      force_decode(*model, data::pad(std::vector(targets.size(), source)), targets, false);

  ASSERT_THAT(together, SizeIs(350));  // with seven words each
  for (const std::size_t i : {0, 100, 200, 291, 292, 293, 349}) {
    const auto alone =
        force_decode(*model, data::pad(std::vector<Tokens>{source}), {&targets[i], 1}, false);
    EXPECT_NEAR(together[i].log_prob(), alone[0].log_prob(), kScoreTolerance);
  }
}

// Regression: `attend score` wrote "nan" and exited with 0.
TEST(ForceDecode, ReportsOutputThatIsNotFinite) {
  const auto model = make_model(model::WiringKind::luong);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.fill_(3e38);
  const std::vector<Tokens> targets(1, {4, 5});

  EXPECT_THROW((void)force_decode(*model, data::pad(test::make_sources({3})), targets, false),
               NumericError);
}

TEST(ForceDecode, RefusesAModelInTrainingMode) {
  const auto model = make_model(model::WiringKind::luong);
  model->train();
  const std::vector<Tokens> targets(1);

  EXPECT_THROW((void)force_decode(*model, data::pad(test::make_sources({3})), targets, false),
               std::logic_error);
  EXPECT_THROW(Seq2SeqStepModel{*model}, std::logic_error);
}

}  // namespace
}  // namespace attend::decode
