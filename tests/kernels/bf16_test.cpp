#include "kernels/bf16.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace attend::kernels {
namespace {

using testing::ElementsAre;

float widened(Bf16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x) << 16U);
}

float rounded(float x) {
  Bf16 result = 0;
  to_bf16(&x, &result, 1);
  return widened(result);
}

TEST(ToBf16, KeepsWhatFitsEightBits) {
  for (const float x : {0.0F, 1.0F, -2.5F, 255.0F, 1e-30F * 0.0F}) EXPECT_EQ(rounded(x), x);
}

TEST(ToBf16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(rounded(257.0F), 256.0F);  // between 256 and 258: the even one
  EXPECT_EQ(rounded(259.0F), 260.0F);  // between 258 and 260: the even one
  EXPECT_EQ(rounded(257.5F), 258.0F);
  EXPECT_EQ(rounded(-256.9F), -256.0F);
}

TEST(ToBf16, KeepsInfinityAndNotANumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rounded(infinity), infinity);
  EXPECT_EQ(rounded(-infinity), -infinity);
  EXPECT_TRUE(std::isnan(rounded(std::bit_cast<float>(0x7f800001U))));
}

TEST(ToBf16, SkipsTheGapsBetweenRows) {
  const std::vector<float> x = {1, 2, 99, 3, 4, 99};
  std::vector<Bf16> result(4);
  to_bf16(Matrix<const float>{x.data(), 2, 2, 3}, result.data());
  EXPECT_THAT(std::vector<float>(
                  {widened(result[0]), widened(result[1]), widened(result[2]), widened(result[3])}),
              ElementsAre(1, 2, 3, 4));
}

class Bf16ProductTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_fast_bf16()) GTEST_SKIP() << "this CPU has no bf16 instructions";
  }
};

std::vector<Bf16> narrow(const std::vector<float>& x) {
  std::vector<Bf16> result(x.size());
  to_bf16(x.data(), result.data(), static_cast<int64_t>(x.size()));
  return result;
}

// | 1 2 |   | 1 2 3 |   |  9 12 15 |
// | 3 4 | x | 4 5 6 | = | 19 26 33 |, all of it exact in bf16.
TEST_F(Bf16ProductTest, MultipliesOperandsInEitherOrder) {
  const std::vector<Bf16> a = narrow({1, 2, 3, 4}), a_transposed = narrow({1, 3, 2, 4});
  const std::vector<Bf16> b = narrow({1, 2, 3, 4, 5, 6}), b_transposed = narrow({1, 4, 2, 5, 3, 6});
  for (const bool turn_a : {false, true}) {
    for (const bool turn_b : {false, true}) {
      std::vector<float> c(6);
      Bf16Product({2, 3, 2, turn_a, turn_b}, 3, Into::overwrite)(
          (turn_a ? a_transposed : a).data(), (turn_b ? b_transposed : b).data(), c.data());
      EXPECT_THAT(c, ElementsAre(9, 12, 15, 19, 26, 33)) << turn_a << turn_b;
    }
  }
}

TEST_F(Bf16ProductTest, AddsToRowsThatHaveGaps) {
  std::vector<float> c = {1, 1, 1, 7, 1, 1, 1, 7};
  Bf16Product({2, 3, 2, false, false}, 4, Into::add)(narrow({1, 2, 3, 4}).data(),
                                                     narrow({1, 2, 3, 4, 5, 6}).data(), c.data());
  EXPECT_THAT(c, ElementsAre(10, 13, 16, 7, 20, 27, 34, 7));
}

TEST_F(Bf16ProductTest, LeavesOrClearsWhatNoTermsAreAddedTo) {
  std::vector<float> c = {5, 5, 7, 5, 5, 7};
  Bf16Product({2, 2, 0, false, false}, 3, Into::add)(nullptr, nullptr, c.data());
  EXPECT_THAT(c, ElementsAre(5, 5, 7, 5, 5, 7));
  Bf16Product({2, 2, 0, false, false}, 3, Into::overwrite)(nullptr, nullptr, c.data());
  EXPECT_THAT(c, ElementsAre(0, 0, 7, 0, 0, 7));
  Bf16Product({0, 2, 4, false, false}, 2, Into::overwrite)(nullptr, nullptr, nullptr);
  Bf16Product({2, 0, 4, false, false}, 2, Into::overwrite)(nullptr, nullptr, c.data());
  EXPECT_EQ(c[2], 7);
}

// 4,096 terms of 1: a bf16 sum would stop growing at 256.
TEST_F(Bf16ProductTest, SumsInFloat) {
  const std::vector<Bf16> ones = narrow(std::vector<float>(4096, 1.0F));
  float sum = 0.0F;
  Bf16Product({1, 1, 4096, false, false}, 1, Into::overwrite)(ones.data(), ones.data(), &sum);
  EXPECT_EQ(sum, 4096.0F);
}

}  // namespace
}  // namespace attend::kernels
