#include "kernels/product/packed_weight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/product/int8.h"
#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

Matrix<const float> rows(const std::vector<float>& x, int64_t count) {
  const auto columns = static_cast<int64_t>(x.size()) / count;
  return {x.data(), count, columns, columns};
}

/// Largest error of a product with inputs and weights in [-1, 1]: the rounding errors of both
/// factors, summed over all terms.
double tolerance(WeightType type, int64_t inputs) {
  const auto terms = static_cast<double>(inputs);
  if (type == WeightType::bf16) return terms * 2 * std::pow(2.0, -9);
  if (type == WeightType::int8) return terms * 2 * (0.5 / 127);
  return terms * 1e-6;
}

class PackedWeightTest : public testing::TestWithParam<WeightType> {
 protected:
  void SetUp() override {
    if (!has_packed(GetParam())) GTEST_SKIP() << "type not available on this CPU";
  }
};

TEST_P(PackedWeightTest, MultipliesAnyNumberOfRows) {
  for (const int64_t inputs : {1, 7, 64, 129}) {
    for (const int64_t outputs : {1, 5, 48, 200}) {
      const auto weight = noise<float>(outputs * inputs, 1);
      const PackedWeight packed(rows(weight, outputs), GetParam());
      for (const int64_t count : {1, 2, 5, 64, 67}) {
        const auto x = noise<float>(count * inputs, 2);
        std::vector<float> y(static_cast<std::size_t>(count * outputs), 9.0F);
        packed.multiply(rows(x, count), {y.data(), count, outputs, outputs}, Into::overwrite);
        std::vector<float> expected(y.size());
        product_nt(rows(x, count), rows(weight, outputs),
                   {expected.data(), count, outputs, outputs}, Into::overwrite);
        for (std::size_t i = 0; i < y.size(); ++i) {
          ASSERT_NEAR(y[i], expected[i], tolerance(GetParam(), inputs))
              << count << " rows, " << inputs << " -> " << outputs;
        }
      }
    }
  }
}

/// Whole numbers from -127 to 127 with a 127 in every row, so that int8 represents them exactly.
std::vector<float> whole_numbers(int64_t count, int64_t columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> uniform(-127, 127);
  std::vector<float> x(static_cast<std::size_t>(count * columns));
  for (float& value : x) value = static_cast<float>(uniform(generator));
  for (std::size_t i = 0; i < x.size(); i += static_cast<std::size_t>(columns)) x[i] = 127.0F;
  return x;
}

int64_t whole_sum(const float* a, const float* b, int64_t terms) {
  int64_t sum = 0;
  for (int64_t k = 0; k < terms; ++k) sum += static_cast<int64_t>(a[k] * b[k]);
  return sum;
}

// Sums stay below 2^24, so that float holds them. (With oneDNN on x86 CPUs without VNNI, int8 was
// wrong: [127 127] . [127 127] gave 32767, the largest of 16 bits.)
TEST_P(PackedWeightTest, SumsOfWholeNumbersAreExact) {
  for (const int64_t inputs : {1, 2, 3, 16, 33, 130, 1000}) {
    for (const int64_t outputs : {1, 5, 48, 130}) {
      const auto weight = whole_numbers(outputs, inputs, 1);
      const PackedWeight packed(rows(weight, outputs), GetParam());
      for (const int64_t count : {1, 2, 3, 64}) {
        const auto x = whole_numbers(count, inputs, 2);
        std::vector<float> y(static_cast<std::size_t>(count * outputs));
        packed.multiply(rows(x, count), {y.data(), count, outputs, outputs}, Into::overwrite);
        for (int64_t i = 0; i < count * outputs; ++i) {
          const float* const a = x.data() + i / outputs * inputs;
          const float* const b = weight.data() + i % outputs * inputs;
          ASSERT_EQ(static_cast<double>(y[static_cast<std::size_t>(i)]),
                    static_cast<double>(whole_sum(a, b, inputs)))
              << count << " rows, " << inputs << " -> " << outputs;
        }
      }
    }
  }
}

// The sums are as large as possible; pairs of products do not fit 16 bits.
TEST(Int8Product, HoldsTheLargestSums) {
  constexpr int64_t kInputs = 1000;
  const std::vector<int8_t> x(kInputs, 127), w(kInputs, -127);
  int32_t sum = 0;
  int8_product(1, 1, kInputs, x.data(), w.data(), &sum);
  EXPECT_EQ(sum, -127 * 127 * 1000);
}

TEST(Int8Product, EqualsIntegerArithmetic) {
  constexpr int64_t kRows = 5, kOutputs = 71, kInputs = 37;
  const auto x = whole_numbers(kRows, kInputs, 1), w = whole_numbers(kOutputs, kInputs, 2);
  const std::vector<int8_t> x8(x.begin(), x.end()), w8(w.begin(), w.end());
  std::vector<int32_t> sums(kRows * kOutputs);
  int8_product(kRows, kOutputs, kInputs, x8.data(), w8.data(), sums.data());
  for (int64_t i = 0; i < kRows * kOutputs; ++i) {
    const float* const a = x.data() + i / kOutputs * kInputs;
    const float* const b = w.data() + i % kOutputs * kInputs;
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], whole_sum(a, b, kInputs)) << i;
  }
}

/// y [rows, outputs] for weights and inputs that int8 represents exactly.
std::vector<float> int8_sums(const std::vector<float>& x, int64_t count,
                             const std::vector<float>& weight, int64_t outputs) {
  const PackedWeight packed(rows(weight, outputs), WeightType::int8);
  std::vector<float> y(static_cast<std::size_t>(count * outputs), 9.0F);
  packed.multiply(rows(x, count), {y.data(), count, outputs, outputs}, Into::overwrite);
  return y;
}

// Tries every number of rows that can fill or remain in a tile, and more rows than a block. Output
// counts are near whole numbers of panels, input counts near whole numbers of units.
TEST(Int8Weight, IsExactForAnyNumberOfRows) {
  for (int64_t count = 1; count <= 161; count += count < 34 ? 1 : 127) {
    for (const int64_t outputs : {1, 15, 17, 33, 64, 79, 131}) {
      for (const int64_t inputs : {1, 2, 3, 5, 63, 66}) {
        const auto x = whole_numbers(count, inputs, 1), w = whole_numbers(outputs, inputs, 2);
        const std::vector<float> y = int8_sums(x, count, w, outputs);
        for (int64_t i = 0; i < count * outputs; ++i) {
          const int64_t sum =
              whole_sum(x.data() + i / outputs * inputs, w.data() + i % outputs * inputs, inputs);
          ASSERT_EQ(y[static_cast<std::size_t>(i)], static_cast<float>(sum))
              << count << " rows, " << inputs << " -> " << outputs;
        }
      }
    }
  }
}

// The largest possible sums of either sign. On CPUs where 128 is added to one factor, pairs of
// products do not fit 16 bits, and whole sums do not fit 32.
TEST(Int8Weight, HoldsTheLargestSums) {
  for (const int64_t inputs : {2, 1000, 1 << 17}) {
    for (const float sign : {1.0F, -1.0F}) {
      const auto count = static_cast<std::size_t>(inputs);
      const std::vector<float> x(count, 127.0F), w(count, sign * 127.0F);
      const auto sum = static_cast<float>(127 * 127 * inputs);
      EXPECT_EQ(int8_sums(x, 1, w, 1), std::vector<float>{sign * sum}) << inputs;
    }
  }
}

// With fractional scales, the result for instructions_in_use() equals that of plain arithmetic, so
// output files do not depend on the CPU.
TEST(Int8Weight, IsTheSameToTheLastBitOnEveryCpu) {
  constexpr int64_t kCount = 7, kOutputs = 45, kInputs = 131;
  const auto x = noise<float>(kCount * kInputs, 1), w = noise<float>(kOutputs * kInputs, 2);
  std::vector<int8_t> x8(x.size()), w8(w.size());
  std::vector<float> x_scales(kCount), w_scales(kOutputs), expected(kCount * kOutputs);
  std::vector<int32_t> sums(expected.size());
  to_int8(rows(x, kCount), x8.data(), x_scales.data());
  to_int8(rows(w, kOutputs), w8.data(), w_scales.data());
  int8_product(kCount, kOutputs, kInputs, x8.data(), w8.data(), sums.data());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float scale = x_scales[i / kOutputs] * w_scales[i % kOutputs];
    expected[i] = scale * static_cast<float>(sums[i]);
  }
  EXPECT_EQ(int8_sums(x, kCount, w, kOutputs), expected);
}

// Small whole numbers with a 127 are exact in every type.
TEST_P(PackedWeightTest, AddsToTheResultAndSkipsGaps) {
  const std::vector<float> weight = {127, 1, 99, 2, 127, 99};  // [2, 2], rows of 3
  const PackedWeight packed({weight.data(), 2, 2, 3}, GetParam());
  const std::vector<float> x = {127, 0, 99, 0, 127, 99};  // the same
  std::vector<float> y = {1, 2, -5, 3, 4, -5};            // the same
  packed.multiply({x.data(), 2, 2, 3}, {y.data(), 2, 2, 3}, Into::add);
  EXPECT_THAT(y, Pointwise(FloatEq(), {127 * 127 + 1.0F, 2 * 127 + 2.0F, -5.0F, 127 + 3.0F,
                                       127 * 127 + 4.0F, -5.0F}));
}

TEST_P(PackedWeightTest, KeepsNanToItsRow) {
  const auto weight = noise<float>(3 * 40, 1);
  const PackedWeight packed(rows(weight, 3), GetParam());
  auto x = noise<float>(2 * 40, 2);
  x[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> y(2 * 3);
  packed.multiply(rows(x, 2), {y.data(), 2, 3, 3}, Into::overwrite);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i]));
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(std::isfinite(y[i]));
}

TEST_P(PackedWeightTest, DoesNothingWithoutRows) {
  const auto weight = noise<float>(6, 1);
  const PackedWeight packed(rows(weight, 2), GetParam());
  packed.multiply({nullptr, 0, 3, 3}, {nullptr, 0, 2, 2}, Into::overwrite);
  EXPECT_EQ(packed.outputs(), 2);
  EXPECT_EQ(packed.inputs(), 3);
}

std::string name_of(const testing::TestParamInfo<WeightType>& tested) {
  if (tested.param == WeightType::f32) return "f32";
  return tested.param == WeightType::bf16 ? "bf16" : "int8";
}

INSTANTIATE_TEST_SUITE_P(Types, PackedWeightTest,
                         testing::Values(WeightType::f32, WeightType::bf16, WeightType::int8),
                         name_of);

// Scale 2 / 127: -2, 1, 0.5 and 0 are -127, 63.5 (rounded to the even 64), 31.75 and 0 times it.
TEST(ToInt8, TakesTheLargestOfEachRowAsFullScale) {
  const std::vector<float> x = {-2, 1, 0.5, 0, 77, 0, 0, 0, 0, 77};  // two rows of 4, gaps of 1
  std::vector<int8_t> whole(8, 55);
  std::vector<float> scales(2);
  to_int8({x.data(), 2, 4, 5}, whole.data(), scales.data());
  EXPECT_THAT(whole, ElementsAre(-127, 64, 32, 0, 0, 0, 0, 0));
  EXPECT_THAT(scales, ElementsAre(FloatEq(2.0F / 127), 0.0F));
}

}  // namespace
}  // namespace attend::kernels
