#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <thread>

#include "core/random.h"
#include "decode/search/search.h"
#include "decode/step/ensemble.h"
#include "decode/step/seq2seq_step_model.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using model::WiringKind;
using test::Tokens;
using ::testing::SizeIs;

constexpr std::size_t kThreads = 4;
constexpr int64_t kVocabularySize = 500;

/// A model large enough that products are computed in several panels.
std::unique_ptr<model::Seq2Seq> make_shared_model(WiringKind wiring, uint64_t seed) {
  model::ModelOptions options;
  options.embedding = 40;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 24;
  auto& decoder = std::get<model::RecurrentDecoderOptions>(options.decoder);
  decoder.hidden = 48;
  decoder.wiring = wiring;
  auto model = std::make_unique<model::Seq2Seq>(options, kVocabularySize, kVocabularySize);
  model::initialize(*model, seed);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.mul_(4.0);
  model->eval();
  return model;
}

/// A different text for each thread: batches of one to five sentences.
std::vector<std::vector<SearchSentence>> text_of(std::size_t thread, std::size_t sources) {
  Random random = stream(7, "text", thread);
  std::vector<std::vector<SearchSentence>> batches;
  for (int batch = 0; batch < 6; ++batch) {
    auto& sentences = batches.emplace_back(1 + random.below(5));
    for (SearchSentence& sentence : sentences) {
      Tokens tokens(1 + random.below(8));
      for (auto& token : tokens)
        token = static_cast<text::TokenId>(text::kSpecialSymbols + random.below(400));
      tokens.push_back(text::kEos);
      sentence.sources.assign(sources, tokens);
    }
  }
  return batches;
}

std::vector<NBest> translate_all(const StepModel& model,
                                 const std::vector<std::vector<SearchSentence>>& batches) {
  SearchOptions options;
  options.decoding.beam = 4;
  options.decoding.max_length_ratio = 0.5;
  options.n_best = 4;
  std::vector<NBest> results;
  for (const auto& batch : batches) {
    auto found = search(model, batch, options);
    std::move(found.begin(), found.end(), std::back_inserter(results));
  }
  return results;
}

void expect_equal(const Hypothesis& a, const Hypothesis& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.log_prob, b.log_prob);
  EXPECT_EQ(a.score, b.score);
  ASSERT_EQ(a.attention.defined(), b.attention.defined());
  if (!a.attention.defined()) return;
  EXPECT_TRUE(torch::equal(a.attention, b.attention));
}

void expect_equal(const std::vector<NBest>& a, const std::vector<NBest>& b) {
  ASSERT_THAT(a, SizeIs(b.size()));
  for (std::size_t s = 0; s < a.size(); ++s) {
    ASSERT_THAT(a[s], SizeIs(b[s].size()));
    for (std::size_t i = 0; i < a[s].size(); ++i) expect_equal(a[s][i], b[s][i]);
  }
}

/// Expects four concurrent threads with `shared` to find the same as one thread with `alone`, a
/// model of the same weights. The one thread translates the texts one after the other, so it meets
/// words in another order.
void expect_same_by_four_threads(const StepModel& shared, const StepModel& alone) {
  std::vector<std::vector<NBest>> found(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back(
        [&, i] { found[i] = translate_all(shared, text_of(i, shared.sources())); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < kThreads; ++i)
    expect_equal(found[i], translate_all(alone, text_of(i, alone.sources())));
}

StepExecution execution_in(const std::string& name) {
  StepExecution execution;
  execution.fused = name != "plain";
  if (name == "bf16") execution.weights = kernels::WeightType::bf16;
  if (name == "int8") execution.weights = kernels::WeightType::int8;
  return execution;
}

class ConcurrentSearch : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!kernels::has_packed(execution_.weights)) GTEST_SKIP() << "not with this CPU and build";
  }

  StepExecution execution_ = execution_in(GetParam());
};

TEST_P(ConcurrentSearch, GivesFourThreadsWhatItGivesOne) {
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    SCOPED_TRACE(enum_name(wiring));
    const auto model = make_shared_model(wiring, 5);
    expect_same_by_four_threads(Seq2SeqStepModel(*model, execution_),
                                Seq2SeqStepModel(*model, execution_));
  }
}

TEST_P(ConcurrentSearch, GivesFourThreadsWhatItGivesOneWithAnEnsemble) {
  const auto first = make_shared_model(WiringKind::luong, 5),
             second = make_shared_model(WiringKind::bahdanau, 6);
  const Seq2SeqStepModel a(*first, execution_), b(*second, execution_), c(*first, execution_),
      d(*second, execution_);
  expect_same_by_four_threads(Ensemble({{&a}, {&b}}), Ensemble({{&c}, {&d}}));
}

INSTANTIATE_TEST_SUITE_P(Executions, ConcurrentSearch,
                         ::testing::Values("f32", "bf16", "int8", "plain"));

}  // namespace
}  // namespace attend::decode
