#include "nn/attention/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::nn {
namespace {

TEST(AttentionRegistry, HoldsTheNamesOfTheContract) {
  EXPECT_THAT(enum_names<ScoreKind>(),
              testing::IsSupersetOf({"additive", "biased_general", "concat", "convolution",
                                     "cosine", "coverage", "deep", "dot", "general", "kernel",
                                     "location", "location_aware", "scaled_dot"}));
  EXPECT_THAT(enum_names<DistributionKind>(),
              testing::IsSupersetOf({"entmax15", "hard", "sigmoid", "softmax", "sparsemax"}));
  EXPECT_THAT(enum_names<ScopeKind>(),
              testing::IsSupersetOf({"global", "local_m", "local_p", "position_bias"}));
}

TEST(AttentionRegistry, SaysWhatEachNameMeans) {
  for (const std::string& name : enum_names<ScoreKind>()) {
    EXPECT_THAT(enum_meanings<ScoreKind>(), testing::HasSubstr("\n  " + name + ": "));
  }
  EXPECT_THAT(enum_meanings<DistributionKind>(),
              testing::HasSubstr("\n  sparsemax: nearest distribution"));
  EXPECT_THAT(enum_meanings<ScopeKind>(), testing::HasSubstr("\n  global: all"));
}

}  // namespace
}  // namespace attend::nn
