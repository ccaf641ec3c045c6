#pragma once
#include <cstdint>
#include <memory>

namespace attend::kernels {

/// A borrowed matrix whose rows are `stride` elements apart.
template <class T>
struct Matrix {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;
};

/// Overwrite the result, or add to it.
enum class Into { overwrite, add };

/// Arithmetic of products.
enum class Precision {
  full,  // the type of the data
  bf16,  // operands rounded to bf16, sums in float; only for float and if has_panels(bf16)
};

/// The three products of a linear layer y = x W^T, named by the operand that is transposed:
///   product_nt: c [M, N] = a [M, K] b [N, K]^T     y  = x W^T
///   product_nn: c [M, N] = a [M, K] b [K, N]       dx = dy W
///   product_tn: c [M, N] = a [K, M]^T b [K, N]     dW = dy^T x
/// Each thread computes a part of c; inside a parallel region the calling thread computes all of
/// it. Runs on Panels where they are faster, else on BLAS. Requires: sizes agree and fit 32 bits.
/// Throws std::logic_error if Precision::bf16 is not available.
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

/// The right operand of several products, b [K, N] or, `transposed`, [N, K]. Laid out once for all
/// of them if that is faster.
template <class T>
class Operand {
 public:
  /// Borrows b, which must not change. Throws like product_nn().
  Operand(Matrix<const T> b, bool transposed, Precision precision);
  /// c (+)= a b for a [M, K], for any M.
  void multiply(Matrix<const T> a, Matrix<T> c, Into into) const;

 private:
  Matrix<const T> b_;
  bool transposed_;
  std::shared_ptr<const Panels> panels_;  // null: BLAS
};

}  // namespace attend::kernels
