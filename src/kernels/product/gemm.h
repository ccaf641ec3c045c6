#pragma once
#include <cstdint>
#include <memory>

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

/// What products are computed in.
enum class Precision {
  full,  // the type of the data
  bf16,  // operands rounded to bf16, sums in float; only for float, where has_panels() of it
};

/// The three products of a linear layer y = x W^T, named by what is transposed.
///   product_nt: c [M, N] = a [M, K] b [N, K]^T     y  = x W^T
///   product_nn: c [M, N] = a [M, K] b [K, N]       dx = dy W
///   product_tn: c [M, N] = a [K, M]^T b [K, N]     dW = dy^T x
/// Each thread computes a part of c; inside a parallel region one computes all of it. They run on
/// Panels where those are faster, and else on BLAS. Requires: sizes agree and fit 32 bits. They
/// throw std::logic_error for Precision::bf16 where it cannot be.
template <class T>
void product_nt(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into,
                Precision precision = Precision::full);
template <class T>
void product_nn(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into,
                Precision precision = Precision::full);
template <class T>
void product_tn(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into,
                Precision precision = Precision::full);

class Panels;

/// A right operand of several products, b [K, N] or, `transposed`, [N, K]: laid out for them once,
/// where that helps.
template <class T>
class Operand {
 public:
  /// Borrows b, which must not change. Throws as the products do.
  Operand(Matrix<const T> b, bool transposed, Precision precision);
  /// c (+)= a b for a [M, K], for any M.
  void multiply(Matrix<const T> a, Matrix<T> c, Into into) const;

 private:
  Matrix<const T> b_;
  bool transposed_;
  std::shared_ptr<const Panels> panels_;  // null: BLAS
};

}  // namespace attend::kernels
