#include "align/statistical/statistical_aligner.h"

#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/random.h"

namespace attend::align {
namespace {

void run_in_order(std::size_t count, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < count; ++i) task(i);
}

void run_on_threads(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::vector<std::thread> threads;
  for (std::size_t i = count; i-- > 0;) threads.emplace_back([&task, i] { task(i); });
  for (std::thread& thread : threads) thread.join();
}

StatisticalOptions options_for(std::size_t pairs) {
  StatisticalOptions options;
  options.plan = sampling_plan(pairs);
  options.run = run_in_order;
  return options;
}

/// Word s translates to word 29 - s. Each target begins with word 30, which translates nothing. The
/// translations of the source words follow in order, except that the first two are swapped.
NumberedCorpus toy_corpus(std::size_t pairs) {
  Random random(11);
  std::vector<int32_t> words(30);
  for (int32_t i = 0; i < 30; ++i) words[static_cast<std::size_t>(i)] = i;
  NumberedCorpus corpus{.pairs = {}, .sources = 30, .targets = 31};
  for (std::size_t p = 0; p < pairs; ++p) {
    random.shuffle(words);
    NumberedPair& pair = corpus.pairs.emplace_back();
    pair.source.assign(words.begin(), words.begin() + 3 + static_cast<int64_t>(p % 4));
    pair.target = {30, 29 - pair.source[1], 29 - pair.source[0]};
    for (std::size_t s = 2; s < pair.source.size(); ++s) pair.target.push_back(29 - pair.source[s]);
  }
  return corpus;
}

std::vector<std::size_t> likeliest(const WeightTable& table) {
  std::vector<std::size_t> result;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::size_t best = 0;
    for (std::size_t column = 0; column < table.columns(); ++column)
      best = table(row, column) > table(row, best) ? column : best;
    result.push_back(best);
  }
  return result;
}

// 5000 / sqrt(31077) = 28.4 and a quarter of that, 7.1 (Östling & Tiedemann 2016).
TEST(SamplingPlan, FollowsTheSizeOfTheText) {
  const SamplingPlan plan = sampling_plan(31'077);
  EXPECT_EQ(plan.model1, 7);
  EXPECT_EQ(plan.hmm, 7);
  EXPECT_EQ(plan.fertility, 28);
  EXPECT_EQ(sampling_plan(100'000'000).model1, 2);
  EXPECT_EQ(sampling_plan(1).fertility, 5000);
}

// A few of about 1,900 words get no link, which has the prior probability 0.2.
TEST(StatisticalAligner, FindsAKnownAlignmentInBothDirections) {
  const NumberedCorpus corpus = toy_corpus(200);
  StatisticalAligner aligner({corpus}, options_for(200));
  aligner.train();
  const auto weights = aligner.weights(0, 200);
  std::size_t words = 0;
  std::size_t wrong = 0;
  const auto compare = [&](const WeightTable& table, const std::vector<std::size_t>& expected) {
    const auto found = likeliest(table);
    for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[i] ? 1 : 0;
    words += found.size();
  };
  for (std::size_t p = 0; p < 200; ++p) {
    const std::size_t sources = corpus.pairs[p].source.size();
    std::vector<std::size_t> forward = {sources, 1, 0};  // `sources` is the column of no link
    std::vector<std::size_t> reverse = {2, 1};
    for (std::size_t s = 2; s < sources; ++s) forward.push_back(s);
    for (std::size_t s = 2; s < sources; ++s) reverse.push_back(s + 1);
    compare(weights[p].forward, forward);
    compare(weights[p].reverse, reverse);
  }
  EXPECT_EQ(words, 2000U);
  EXPECT_LT(wrong, words / 50);
}

// Regression: a signal had no effect until all sweeps were done.
TEST(StatisticalAligner, StopsWhereSweptThrows) {
  StatisticalOptions options = options_for(200);
  int sweeps = 0;
  options.swept = [&sweeps] {
    if (++sweeps == 3) throw Stopped(SIGINT, "stopped by a signal");
  };
  StatisticalAligner aligner({toy_corpus(200)}, options);
  EXPECT_THROW(aligner.train(), Stopped);
  EXPECT_EQ(sweeps, 3);
}

TEST(StatisticalAligner, AveragesReadingsSamplersAndDraws) {
  const NumberedCorpus corpus = toy_corpus(20);
  StatisticalOptions options = options_for(20);
  options.plan = {.model1 = 2, .hmm = 3, .fertility = 4, .averaged = 5};
  options.samplers = 3;
  std::atomic<int> sweeps = 0;
  options.swept = [&] { ++sweeps; };
  StatisticalAligner aligner({corpus, corpus}, options);
  EXPECT_EQ(aligner.samplers(), 12U);  // 2 readings, 2 directions
  aligner.train();
  EXPECT_EQ(sweeps, 12 * 9);
  for (const SampledWeights& pair : aligner.weights(3, 4)) {
    for (const WeightTable* table : {&pair.forward, &pair.reverse}) {
      for (std::size_t row = 0; row < table->rows(); ++row) {
        float sum = 0.0F;
        for (std::size_t column = 0; column < table->columns(); ++column)
          sum += (*table)(row, column);
        EXPECT_NEAR(sum, 1.0F, 1e-5F);
      }
    }
  }
}

TEST(StatisticalAligner, DoesNotDependOnThreadsOrTheirOrder) {
  const auto weights = [](const auto& run) {
    StatisticalOptions options = options_for(50);
    options.plan = {.model1 = 2, .hmm = 2, .fertility = 4, .averaged = 2};
    options.samplers = 2;
    options.run = run;
    StatisticalAligner aligner({toy_corpus(50), toy_corpus(50)}, options);
    aligner.train();
    std::vector<WeightTable> tables;
    for (const std::size_t first : {0U, 25U}) {
      for (const SampledWeights& pair : aligner.weights(first, 25)) {
        tables.push_back(pair.forward);
        tables.push_back(pair.reverse);
      }
    }
    return tables;
  };
  EXPECT_EQ(weights(run_in_order), weights(run_on_threads));
}

}  // namespace
}  // namespace attend::align
