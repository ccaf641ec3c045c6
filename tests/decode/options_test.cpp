#include "decode/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"

namespace attend::decode {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

auto rejects(const SearchOptions& options) {
  return [options] { validate(options); };
}

TEST(SearchOptions, AreValidByDefault) {
  EXPECT_NO_THROW(validate(SearchOptions{}));
}

TEST(SearchOptions, RejectABeamOfZero) {
  SearchOptions options;
  options.decoding.beam = 0;
  EXPECT_THAT(rejects(options), ThrowsMessage<UsageError>("the beam is 0; expected 1 to 1000000"));
}

TEST(SearchOptions, RejectMoreHypothesesThanTheBeamHolds) {
  SearchOptions options;
  options.n_best = 6;
  EXPECT_THAT(rejects(options),
              ThrowsMessage<UsageError>(HasSubstr("n-best size is 6, but the beam only 5")));
}

// Regression: the command line accepted penalties that a config could not have. With a power of
// 1e300 all scores were 0. A coverage penalty of 1e39 is infinite in float32 and gave NaN if all
// source words were covered.
TEST(SearchOptions, RejectPenaltiesThatLeaveNoScores) {
  SearchOptions options;
  for (const double alpha : {-10.5, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    options.decoding.length_penalty = alpha;
    EXPECT_THAT(rejects(options), ThrowsMessage<UsageError>(AllOf(HasSubstr("the length penalty"),
                                                                  HasSubstr("-10 to 10"))));
  }
  options.decoding.length_penalty = -10.0;
  for (const double beta : {-0.1, 1e39, std::numeric_limits<double>::quiet_NaN()}) {
    options.decoding.coverage_penalty = beta;
    EXPECT_THAT(rejects(options), ThrowsMessage<UsageError>(HasSubstr("the coverage penalty")));
  }
}

TEST(SearchOptions, RejectRunsOfFewerThanNoPieces) {
  SearchOptions options;
  options.decoding.no_repeat_ngram_size = -1;
  EXPECT_THAT(
      rejects(options),
      ThrowsMessage<UsageError>(HasSubstr("must not repeat is -1; expected 1 to 1000000, or 0")));
}

TEST(SearchOptions, AllowAnyNumberOfDraws) {
  SearchOptions options;
  options.n_best = 6;
  options.sampling.emplace();
  EXPECT_NO_THROW(validate(options));
}

TEST(SearchOptions, RejectATemperatureOfZero) {
  SearchOptions options;
  options.sampling.emplace().temperature = 0.0;
  EXPECT_THAT(rejects(options), ThrowsMessage<UsageError>(
                                    HasSubstr("the temperature is 0; expected 0.000001 or more")));
  options.sampling->temperature = 1e-40;  // logits divided by it are infinite
  EXPECT_THAT(rejects(options), ThrowsMessage<UsageError>(HasSubstr("the temperature is 1e-40")));
}

TEST(SearchOptions, RejectAShareAboveOne) {
  SearchOptions options;
  options.sampling.emplace().top_p = 1.5;
  EXPECT_THAT(rejects(options),
              ThrowsMessage<UsageError>("top-p is 1.5; expected more than 0 and at most 1"));
}

}  // namespace
}  // namespace attend::decode
