#include "train/update/non_finite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "data/batching.h"
#include "tests/train/tiny_run.h"
#include "train/update/batch_messages.h"

namespace attend::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string message_for(int64_t pairs, int64_t allowed = 10) {
  const auto corpus = test::copy_corpus(pairs);
  std::vector<int64_t> numbers(static_cast<std::size_t>(pairs));
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<data::Batch> batches = {data::make_batch(*corpus, numbers)};
  SkipReport report;
  report.point.update = 77;
  report.loss = std::numeric_limits<double>::quiet_NaN();
  report.gradient_norm = std::numeric_limits<double>::infinity();
  report.in_a_row = allowed + 1;
  report.batch = describe_batches(batches);
  return non_finite_message(report, allowed);
}

TEST(NonFiniteMessage, NamesUpdateValuesLinesAndRemedy) {
  EXPECT_THAT(message_for(3), AllOf(HasSubstr("update 77"), HasSubstr("is nan"), HasSubstr("inf"),
                                    HasSubstr("11 updates in a row"), HasSubstr("lines 1, 2, 3 of"),
                                    HasSubstr("training.learning_rate")));
}

TEST(NonFiniteMessage, NamesTheLongestSides) {
  const auto corpus = test::copy_corpus(3);
  int64_t longest = 0;
  for (int64_t i = 0; i < 3; ++i) longest = std::max(longest, corpus->source_length(i) + 1);
  EXPECT_THAT(message_for(3), HasSubstr("up to " + std::to_string(longest) + " source"));
}

TEST(NonFiniteMessage, DoesNotListALargeBatchInFull) {
  EXPECT_THAT(message_for(14), AllOf(HasSubstr("10 and 4 more"), Not(HasSubstr("11, "))));
}

TEST(NonFiniteMessage, SaysSoWhereNoneMayBeLeftOut) {
  EXPECT_THAT(message_for(3, 0),
              AllOf(HasSubstr("skip_non_finite: 0"), Not(HasSubstr("in a row"))));
}

}  // namespace
}  // namespace attend::train
