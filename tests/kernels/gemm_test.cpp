#include "kernels/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace attend::kernels {
namespace {

using testing::ElementsAre;

// a = | 1 2 3 |   b = | 1 0 2 |   (rows two elements further apart than they are long)
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

TEST(Products, AddToWhatIsThereAndKeepToTheirRows) {
  std::vector<float> c = {1, 1, 8, 1, 1, 8};
  const std::vector<float> a = {1, 2, 3, 4};
  const Matrix<const float> square{a.data(), 2, 2, 2};
  product_nt(square, square, Matrix<float>{c.data(), 2, 2, 3}, Into::add);
  EXPECT_THAT(c, ElementsAre(6, 12, 8, 12, 26, 8));
}

/// The element (i, j) of x or of its transposed.
double at(const Matrix<const double>& x, bool transposed, int64_t i, int64_t j) {
  return transposed ? x.data[j * x.stride + i] : x.data[i * x.stride + j];
}

struct SplitCase {
  int64_t m, n, k;
};

/// The largest error of the three products of these sizes.
double largest_error(const SplitCase& sizes) {
  const auto [m, n, k] = sizes;
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

// Many rows are shared among threads by rows, few rows by columns, in parts that do not come out
// even.
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

TEST(Products, LeaveNothingToDoForNoRows) {
  product_nt(Matrix<const float>{nullptr, 0, 3, 3}, Matrix<const float>{nullptr, 2, 3, 3},
             Matrix<float>{nullptr, 0, 2, 2}, Into::overwrite);
}

}  // namespace
}  // namespace attend::kernels
