#include "kernels/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Products, LeaveNothingToDoForNoRows) {
  product_nt(Matrix<const float>{nullptr, 0, 3, 3}, Matrix<const float>{nullptr, 2, 3, 3},
             Matrix<float>{nullptr, 0, 2, 2}, Into::overwrite);
}

}  // namespace
}  // namespace attend::kernels
