#include "decode/search/search_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "decode/search/search.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using test::Tokens;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SearchOptions three_rows() {
  SearchOptions options;
  options.decoding.beam = 3;
  options.decoding.max_length_ratio = 0.0;
  options.n_best = 3;
  return options;
}

/// Records every step.
class Recorder final : public SearchControl {
 public:
  void on_step(const SearchStep& step) override {
    positions.push_back(step.position());
    live.push_back(step.live());
  }
  std::vector<int64_t> positions;
  std::vector<std::vector<LiveHypothesis>> live;
};

double log_prob_so_far(const test::Table& table, const Tokens& source, const Tokens& tokens) {
  double sum = 0.0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto so_far = Tokens(tokens.begin(), tokens.begin() + static_cast<int64_t>(t));
    sum += std::log(table.probabilities(source, so_far)[static_cast<std::size_t>(tokens[t])]);
  }
  return sum;
}

TEST(SearchControl, IsToldTheHypothesesAliveAfterEveryStep) {
  const auto sources = test::make_sources({3, 5});
  const test::TableModel model(test::scrambled_table(7, 2));
  Recorder recorder;
  (void)search(model, test::sentences_of(sources), three_rows(), &recorder);
  ASSERT_THAT(recorder.positions, SizeIs(model.rows_per_step().size()));
  for (std::size_t i = 0; i < recorder.positions.size(); ++i) {
    EXPECT_EQ(recorder.positions[i], static_cast<int64_t>(i) + 1);
    for (const LiveHypothesis& hypothesis : recorder.live[i]) {
      ASSERT_THAT(hypothesis.tokens, SizeIs(i + 1));
      const auto& source = sources[static_cast<std::size_t>(hypothesis.sentence)];
      EXPECT_NEAR(hypothesis.log_prob, log_prob_so_far(model.table(), source, hypothesis.tokens),
                  1e-4);
    }
  }
  EXPECT_THAT(recorder.live.front(), ::testing::Not(IsEmpty()));
  EXPECT_THAT(recorder.live.back(), IsEmpty());
}

TEST(SearchControl, ChangesNothingByListening) {
  const auto sources = test::make_sources({3, 5, 2});
  const test::TableModel model(test::scrambled_table(7, 2));
  Recorder recorder;
  const auto alone = search(model, test::sentences_of(sources), three_rows());
  const auto heard = search(model, test::sentences_of(sources), three_rows(), &recorder);
  ASSERT_THAT(heard, SizeIs(3));
  for (std::size_t s = 0; s < alone.size(); ++s) {
    ASSERT_THAT(heard[s], SizeIs(alone[s].size()));
    for (std::size_t i = 0; i < alone[s].size(); ++i) {
      EXPECT_EQ(heard[s][i].tokens, alone[s][i].tokens);
      EXPECT_EQ(heard[s][i].score, alone[s][i].score);
    }
  }
}

/// Cancels after a number of steps.
class CancelsAfter final : public SearchControl {
 public:
  explicit CancelsAfter(std::size_t steps) : left_(steps) {}
  bool is_cancelled() override { return left_ == 0; }
  void on_step(const SearchStep&) override { --left_; }

 private:
  std::size_t left_;
};

TEST(SearchControl, EndsASearchBetweenTwoSteps) {
  const test::TableModel model(test::scrambled_table(7, 2));
  const auto input = test::sentences_of(test::make_sources({3, 5}));
  for (const std::size_t steps : {0U, 2U}) {
    const std::size_t before = model.rows_per_step().size();
    CancelsAfter control(steps);
    EXPECT_THROW((void)search(model, input, three_rows(), &control), SearchCancelled);
    EXPECT_EQ(model.rows_per_step().size() - before, steps);
  }
}

}  // namespace
}  // namespace attend::decode
