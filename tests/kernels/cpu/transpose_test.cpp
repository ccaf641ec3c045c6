#include "kernels/cpu/transpose.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend::kernels {
namespace {

template <class T>
class TransposeTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(TransposeTest, Types);

// Three blocks by two, in rows with gaps.
TYPED_TEST(TransposeTest, ExchangesRowsAndColumns) {
  constexpr int64_t kRows = 24, kColumns = 16, kStride = 19, kToStride = 27;
  std::vector<TypeParam> from(kRows * kStride), to(kColumns * kToStride, TypeParam(-1));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<TypeParam>(i);
  transpose(from.data(), kRows, kColumns, kStride, to.data(), kToStride);
  for (int64_t i = 0; i < kColumns * kToStride; ++i) {
    const int64_t row = i % kToStride, column = i / kToStride;
    const auto expected = row < kRows ? static_cast<TypeParam>(row * kStride + column) : -1;
    ASSERT_EQ(to[static_cast<std::size_t>(i)], expected) << row << ", " << column;
  }
}

}  // namespace
}  // namespace attend::kernels
