#pragma once
#include <cstdint>

namespace attend::kernels {

/// A matrix that belongs to somebody else, rows one after the other, `stride` elements apart.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;
};

/// What becomes of the result's old content.
enum class Into { overwrite, add };

/// The three products of a linear layer y = x W^T, named by what is transposed.
///   product_nt: c [M, N] = a [M, K] b [N, K]^T     y  = x W^T
///   product_nn: c [M, N] = a [M, K] b [K, N]       dx = dy W
///   product_tn: c [M, N] = a [K, M]^T b [K, N]     dW = dy^T x
/// They run on BLAS, each thread on a part of c; on one thread inside a parallel region. Requires:
/// sizes agree and fit 32 bits.
void product_nt(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into);
void product_nt(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into);
void product_nn(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into);
void product_nn(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into);
void product_tn(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into);
void product_tn(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into);

}  // namespace attend::kernels
