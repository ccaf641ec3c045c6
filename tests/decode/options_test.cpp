#include "decode/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace attend::decode {
namespace {

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

TEST(SearchOptions, AllowAnyNumberOfDraws) {
  SearchOptions options;
  options.n_best = 6;
  options.sampling.emplace();
  EXPECT_NO_THROW(validate(options));
}

TEST(SearchOptions, RejectATemperatureOfZero) {
  SearchOptions options;
  options.sampling.emplace().temperature = 0.0;
  EXPECT_THAT(rejects(options),
              ThrowsMessage<UsageError>(HasSubstr("the temperature is 0; expected more than 0")));
}

TEST(SearchOptions, RejectAShareAboveOne) {
  SearchOptions options;
  options.sampling.emplace().top_p = 1.5;
  EXPECT_THAT(rejects(options),
              ThrowsMessage<UsageError>("top-p is 1.5; expected more than 0 and at most 1"));
}

}  // namespace
}  // namespace attend::decode
