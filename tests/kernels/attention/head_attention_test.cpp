#include "kernels/attention/head_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace attend::kernels {
namespace {

using testing::Each;

// Regression: the kernel read the first number of an empty row.
TEST(HeadAttention, IsZeroForAnEmptyMemory) {
  constexpr int64_t kQueries = 3, kFeatures = 4;
  const std::vector<float> query(kQueries * kFeatures, 1.0F);
  std::vector<float> context(kQueries * kFeatures, 9.0F), log_sums(kQueries, 9.0F);
  const int64_t length = 0;
  HeadAttention<float> work;
  work.sentences = work.heads = 1;
  work.queries = kQueries;
  work.key_size = work.value_size = kFeatures;
  work.lengths = &length;
  work.query = {query.data(), 0, 0, kFeatures};
  work.context = {context.data(), 0, 0, kFeatures};
  work.log_sums = log_sums.data();
  head_attention(work);
  EXPECT_THAT(context, Each(0.0F));
  EXPECT_THAT(log_sums, Each(0.0F));
}

}  // namespace
}  // namespace attend::kernels
