#include "nn/attention/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace attend::nn {
namespace {

TEST(AttentionRegistry, HoldsTheNamesOfTheContract) {
  EXPECT_THAT(score_names(),
              testing::IsSupersetOf({"additive", "biased_general", "concat", "convolution",
                                     "cosine", "coverage", "deep", "dot", "general", "kernel",
                                     "location", "location_aware", "scaled_dot"}));
  EXPECT_THAT(distribution_names(),
              testing::IsSupersetOf({"entmax15", "hard", "sigmoid", "softmax", "sparsemax"}));
  EXPECT_THAT(scope_names(),
              testing::IsSupersetOf({"global", "local_m", "local_p", "position_bias"}));
}

TEST(AttentionRegistry, SaysWhatEachNameMeans) {
  for (const std::string& name : score_names()) {
    EXPECT_THAT(score_meanings(), testing::HasSubstr("\n  " + name + ": "));
  }
  EXPECT_THAT(distribution_meanings(), testing::HasSubstr("\n  sparsemax: the nearest point"));
  EXPECT_THAT(scope_meanings(), testing::HasSubstr("\n  global: all"));
}

TEST(AttentionRegistry, RefusesAnUnknownName) {
  AttentionOptions options;
  options.score = "cubist";
  EXPECT_THROW(static_cast<void>(make_score(options, {4, 6})), std::out_of_range);
}

}  // namespace
}  // namespace attend::nn
