#include "kernels/product/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/product/panels.h"
#include "tests/kernels/numbers.h"

namespace attend::kernels {
namespace {

using testing::ElementsAre;

// a = | 1 2 3 |   b = | 1 0 2 |   (rows with gaps of two elements)
//     | 4 5 6 |       | 0 1 1 |
const std::vector<double> kA = {1, 2, 3, 0, 0, 4, 5, 6, 0, 0};
const std::vector<double> kB = {1, 0, 2, 9, 9, 0, 1, 1, 9, 9};
const Matrix<const double> kMatrixA{kA.data(), 2, 3, 5};
const Matrix<const double> kMatrixB{kB.data(), 2, 3, 5};

TEST(ProductNt, MultipliesByTheTransposed) {
  std::vector<double> c(4);
  product_nt(kMatrixA, kMatrixB, Matrix<double>{c.data(), 2, 2, 2}, Into::overwrite);
  EXPECT_THAT(c, ElementsAre(7, 5, 16, 11));
}

TEST(ProductNn, MultipliesAsItStands) {
  const std::vector<double> square = {1, 2, 3, 4};
  std::vector<double> c(6);
  product_nn(Matrix<const double>{square.data(), 2, 2, 2}, kMatrixA,
             Matrix<double>{c.data(), 2, 3, 3}, Into::overwrite);
  EXPECT_THAT(c, ElementsAre(9, 12, 15, 19, 26, 33));
}

TEST(ProductTn, MultipliesTheTransposed) {
  std::vector<double> c(9);
  product_tn(kMatrixA, kMatrixB, Matrix<double>{c.data(), 3, 3, 3}, Into::overwrite);
  EXPECT_THAT(c, ElementsAre(1, 4, 6, 2, 5, 9, 3, 6, 12));
}

TEST(Products, AddToTheResultAndKeepItsGaps) {
  std::vector<float> c = {1, 1, 8, 1, 1, 8};
  const std::vector<float> a = {1, 2, 3, 4};
  const Matrix<const float> square{a.data(), 2, 2, 2};
  product_nt(square, square, Matrix<float>{c.data(), 2, 2, 3}, Into::add);
  EXPECT_THAT(c, ElementsAre(6, 12, 8, 12, 26, 8));
}

/// The element (i, j) of x or of its transpose.
double at(const Matrix<const double>& x, bool transposed, int64_t i, int64_t j) {
  return transposed ? x.data[j * x.stride + i] : x.data[i * x.stride + j];
}

struct SplitCase {
  int64_t m, n, k;
};

/// The largest error of the three products of these sizes.
double largest_error(const SplitCase& sizes) {
  // Not structured bindings, which clang 14 cannot use in lambdas.
  const int64_t m = sizes.m, n = sizes.n, k = sizes.k;
  std::mt19937 random(1);
  const auto numbers = [&random](int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = static_cast<double>(random() % 100) / 10.0 - 5.0;
    return values;
  };
  const std::vector<double> left = numbers(m * k), right = numbers(n * k), old = numbers(m * n);
  const Matrix<const double> a{left.data(), m, k, k}, a_t{left.data(), k, m, m};
  const Matrix<const double> b{right.data(), k, n, n}, b_t{right.data(), n, k, k};
  double largest = 0.0;
  const auto look_at = [&](const auto& run, bool a_transposed, bool b_transposed) {
    std::vector<double> c = old;
    run(Matrix<double>{c.data(), m, n, n});
    for (int64_t i = 0; i < m * n; ++i) {
      double expected = old[static_cast<std::size_t>(i)];
      for (int64_t l = 0; l < k; ++l) {
        expected += at(a_transposed ? a_t : a, a_transposed, i / n, l) *
                    at(b_transposed ? b_t : b, b_transposed, l, i % n);
      }
      largest = std::max(largest, std::fabs(c[static_cast<std::size_t>(i)] - expected));
    }
  };
  look_at([&](Matrix<double> c) { product_nt(a, b_t, c, Into::add); }, false, true);
  look_at([&](Matrix<double> c) { product_nn(a, b, c, Into::add); }, false, false);
  look_at([&](Matrix<double> c) { product_tn(a_t, b, c, Into::add); }, true, false);
  return largest;
}

// With many rows, threads share the rows; with few rows, the columns. Their parts differ in size.
TEST(Products, AreTheSameOnAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    for (const SplitCase& sizes : {SplitCase{301, 7, 5}, {9, 131, 4}, {256, 48, 3}, {1, 33, 2}}) {
      EXPECT_LT(largest_error(sizes), 1e-9) << threads << " threads, " << sizes.m << " rows";
    }
  }
  omp_set_num_threads(before);
}

/// Compares products of float with BLAS in double. Whole numbers from -8 to 8 are exact in bf16
/// too.
class FloatProducts : public testing::TestWithParam<Precision> {
 protected:
  FloatProducts() : threads_(omp_get_max_threads()) {}
  ~FloatProducts() override { omp_set_num_threads(threads_); }

  void SetUp() override {
    if (GetParam() == Precision::bf16 && !has_panels(GetParam())) {
      GTEST_SKIP() << "this CPU has no bf16 instructions";
    }
  }

 private:
  int threads_;
};

std::vector<float> whole_numbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random() % 17) - 8.0F;
  return values;
}

constexpr float kGap = 777.0F;  // content of the gaps between rows of c
constexpr int64_t kGapSize = 3;

/// A result [m, n] with gaps between its rows.
struct Gapped {
  std::vector<float> data;
  int64_t m, n;

  Gapped(int64_t rows, int64_t columns, float start)
      : data(static_cast<std::size_t>(rows * (columns + kGapSize)), kGap), m(rows), n(columns) {
    for (int64_t i = 0; i < m; ++i) std::fill_n(data.begin() + i * (n + kGapSize), n, start);
  }
  [[nodiscard]] Matrix<float> matrix() { return {data.data(), m, n, n + kGapSize}; }
};

/// The expected c [m, n]: start + a b by definition.
Gapped expected_product(Matrix<const float> a, bool a_transposed, Matrix<const float> b,
                        bool b_transposed, int64_t k, Gapped c) {
  const Matrix<float> result = c.matrix();
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      float& sum = result.data[i * result.stride + j];
      for (int64_t l = 0; l < k; ++l) {
        sum += (a_transposed ? a.data[l * a.stride + i] : a.data[i * a.stride + l]) *
               (b_transposed ? b.data[j * b.stride + l] : b.data[l * b.stride + j]);
      }
    }
  }
  return c;
}

/// Checks all products of these sizes, also with a right operand that is laid out first.
void expect_exact_products(const SplitCase& sizes, Precision precision) {
  // Not structured bindings, which clang 14 cannot use in lambdas.
  const int64_t m = sizes.m, n = sizes.n, k = sizes.k;
  const std::vector<float> left = whole_numbers(m * (k + 1), 1), right = whole_numbers(n * k, 2);
  const std::vector<float> turned = whole_numbers(k * (m + 1), 3);
  const Matrix<const float> a{left.data(), m, k, k + 1}, a_t{turned.data(), k, m, m + 1};
  const Matrix<const float> b{right.data(), k, n, n}, b_t{right.data(), n, k, k};
  for (const Into into : {Into::overwrite, Into::add}) {
    const float start = into == Into::add ? 5.0F : 0.0F;
    const auto check = [&](const auto& run, const Gapped& expected, const char* what) {
      Gapped c(m, n, 5.0F);
      run(c.matrix());
      ASSERT_EQ(c.data, expected.data) << what << " " << m << " x " << n << ", " << k << " terms";
    };
    const Gapped nt = expected_product(a, false, b_t, true, k, Gapped(m, n, start));
    const Gapped nn = expected_product(a, false, b, false, k, Gapped(m, n, start));
    check([&](auto c) { product_nt(a, b_t, c, into, precision); }, nt, "nt");
    check([&](auto c) { product_nn(a, b, c, into, precision); }, nn, "nn");
    check([&](auto c) { product_tn(a_t, b, c, into, precision); },
          expected_product(a_t, true, b, false, k, Gapped(m, n, start)), "tn");
    check([&](auto c) { Operand<float>(b_t, true, precision).multiply(a, c, into); }, nt, "of nt");
    check([&](auto c) { Operand<float>(b, false, precision).multiply(a, c, into); }, nn, "of nn");
  }
}

// Covers one or more blocks of every size, parts of blocks, and empty matrices. The sizes are, with
// AVX-512, 32 columns, 8 rows, 128 rows, 1,024 terms (2,048 in bf16); with AVX2, 16 columns, 6
// rows, 24 or 120 rows, 512 terms; with AMX, 32 columns, 16 or 32 rows, 128 rows, 1,024 terms.
TEST_P(FloatProducts, AreExactForWholeNumbers) {
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    for (const SplitCase& sizes : {SplitCase{1, 1, 1},
                                   {5, 31, 7},
                                   {16, 32, 2},
                                   {17, 33, 3},
                                   {8, 100, 64},
                                   {3, 16, 0},
                                   {23, 17, 1025},
                                   {19, 40, 513},
                                   {97, 64, 33},
                                   {35, 40, 2051},
                                   {161, 70, 1057},
                                   {121, 15, 6},
                                   {129, 130, 20}}) {
      expect_exact_products(sizes, GetParam());
    }
  }
}

// Tries every number of rows that can fill or remain in a tile. The column counts are near whole
// numbers of panels, since few rows are multiplied by several panels at once.
TEST_P(FloatProducts, AreExactForAnyNumberOfRows) {
  omp_set_num_threads(1);
  for (int64_t rows = 1; rows <= 34; ++rows) {
    for (const int64_t columns : {1, 15, 17, 31, 33, 64, 79, 129, 161}) {
      expect_exact_products({rows, columns, 5}, GetParam());
    }
  }
}

// Decoding requires it: the scores of a hypothesis do not depend on the rest of the batch.
TEST_P(FloatProducts, OfARowDoNotDependOnOtherRows) {
  if (!has_panels(GetParam())) GTEST_SKIP() << "computed by BLAS";
  constexpr int64_t kTerms = 1031, kColumns = 150, kMost = 40;
  const auto a = noise<float>(kMost * kTerms, 1), b = noise<float>(kColumns * kTerms, 2);
  const Panels panels({b.data(), kColumns, kTerms, kTerms}, /*transposed=*/true, GetParam());
  const auto last_row = [&](int64_t rows) {
    std::vector<float> c(static_cast<std::size_t>(rows * kColumns));
    panels.multiply({a.data() + (kMost - rows) * kTerms, rows, kTerms, kTerms}, false,
                    {c.data(), rows, kColumns, kColumns}, Into::overwrite);
    return std::vector<float>(c.end() - kColumns, c.end());
  };
  for (const int64_t rows : {2, 3, 7, 13, 40}) EXPECT_EQ(last_row(rows), last_row(1)) << rows;
}

TEST_P(FloatProducts, RefuseSizesThatDoNotMatchTheOperand) {
  if (!has_panels(GetParam())) GTEST_SKIP() << "only panels check sizes";
  const std::vector<float> b = whole_numbers(3 * 4, 1), a = whole_numbers(2 * 4, 2);
  std::vector<float> c(2 * 4);
  const Panels panels({b.data(), 3, 4, 4}, /*transposed=*/false, GetParam());
  const Matrix<const float> fits{a.data(), 2, 3, 3};
  EXPECT_THROW(panels.multiply(fits, false, {c.data(), 2, 3, 3}, Into::add), std::logic_error);
  EXPECT_THROW(panels.multiply(fits, false, {c.data(), 1, 4, 4}, Into::add), std::logic_error);
  EXPECT_THROW(panels.multiply({a.data(), 2, 4, 4}, false, {c.data(), 2, 4, 4}, Into::add),
               std::logic_error);
}

TEST_P(FloatProducts, KeepNanToItsRowAndColumn) {
  std::vector<float> a = whole_numbers(20 * 9, 1), b = whole_numbers(40 * 9, 2);
  a[3 * 9 + 8] = b[5 * 9 + 8] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> c(20 * 40);
  product_nt(Matrix<const float>{a.data(), 20, 9, 9}, Matrix<const float>{b.data(), 40, 9, 9},
             Matrix<float>{c.data(), 20, 40, 40}, Into::overwrite, GetParam());
  for (std::size_t i = 0; i < c.size(); ++i) {
    EXPECT_EQ(std::isnan(c[i]), i / 40 == 3 || i % 40 == 5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, FloatProducts,
                         testing::Values(Precision::full, Precision::bf16), [](const auto& test) {
                           return test.param == Precision::full ? "f32" : "bf16";
                         });

class Bf16Products : public FloatProducts {};

/// a b in bf16 for vectors a and b.
float bf16_product(const std::vector<float>& a, const std::vector<float>& b) {
  const auto terms = static_cast<int64_t>(a.size());
  float sum = 0.0F;
  product_nt(Matrix<const float>{a.data(), 1, terms, terms},
             Matrix<const float>{b.data(), 1, terms, terms}, Matrix<float>{&sum, 1, 1, 1},
             Into::overwrite, Precision::bf16);
  return sum;
}

TEST_P(Bf16Products, RoundOperandsToTheNearestAndTiesToEven) {
  for (const auto& [x, rounded] :
       {std::pair{255.0F, 255.0F},
        {257.0F, 256.0F},
        {259.0F, 260.0F},
        {257.5F, 258.0F},
        {-256.9F, -256.0F},
        {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()}}) {
    EXPECT_EQ(bf16_product({x}, {1.0F}), rounded) << "left";
    EXPECT_EQ(bf16_product({1.0F}, {x}), rounded) << "right";
  }
}

// 4,096 terms of 1: a bf16 sum would stop growing at 256.
TEST_P(Bf16Products, SumInFloat) {
  const std::vector<float> ones(4096, 1.0F);
  EXPECT_EQ(bf16_product(ones, ones), 4096.0F);
}

INSTANTIATE_TEST_SUITE_P(OnThisCpu, Bf16Products, testing::Values(Precision::bf16),
                         [](const auto&) { return "bf16"; });

TEST(Products, InBf16AreForFloatOnly) {
  std::vector<double> c(4);
  EXPECT_THROW(product_nt(kMatrixA, kMatrixB, Matrix<double>{c.data(), 2, 2, 2}, Into::overwrite,
                          Precision::bf16),
               std::logic_error);
  EXPECT_THROW(Operand<double>(kMatrixA, false, Precision::bf16), std::logic_error);
}

TEST(Products, LeaveTheResultUnchangedWithoutRowsOrColumns) {
  std::vector<float> c(40, 9.0F);
  for (const Into into : {Into::overwrite, Into::add}) {
    product_nt(Matrix<const float>{nullptr, 20, 0, 0}, Matrix<const float>{nullptr, 0, 0, 0},
               Matrix<float>{c.data(), 20, 0, 2}, into);
    product_nt(Matrix<const float>{nullptr, 0, 3, 3}, Matrix<const float>{nullptr, 2, 3, 3},
               Matrix<float>{c.data(), 0, 2, 2}, into);
  }
  EXPECT_EQ(c, std::vector<float>(40, 9.0F));
}

}  // namespace
}  // namespace attend::kernels
