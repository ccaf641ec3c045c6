#include "kernels/gemm.h"

#include <stdexcept>

// BLAS by its Fortran names, which every implementation has and LibTorch calls too.
extern "C" {
void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
            const int* k, const float* alpha, const float* a, const int* lda, const float* b,
            const int* ldb, const float* beta, float* c, const int* ldc);
void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
            const int* k, const double* alpha, const double* a, const int* lda, const double* b,
            const int* ldb, const double* beta, double* c, const int* ldc);
}

namespace attend::kernels {
namespace {

#ifdef ATTEND_NO_BLAS
constexpr auto call = [](auto&&...) { throw std::logic_error("kernels: this build has no BLAS"); };
#else
constexpr auto call = [](auto&&... arguments) {
  if constexpr (requires { sgemm_(arguments...); }) {
    sgemm_(arguments...);
  } else {
    dgemm_(arguments...);
  }
};
#endif

/// BLAS counts by columns, so it sees every matrix of ours transposed: for c = op(a) op(b) it is
/// asked for c^T = op(b)^T op(a)^T.
template <class T>
void product(char transpose_a, Matrix<const T> a, char transpose_b, Matrix<const T> b, Matrix<T> c,
             Into into) {
  if (c.rows == 0 || c.columns == 0) return;
  const int m = static_cast<int>(c.columns);
  const int n = static_cast<int>(c.rows);
  const int k = static_cast<int>(transpose_a == 'T' ? a.rows : a.columns);
  const int stride_a = static_cast<int>(a.stride);
  const int stride_b = static_cast<int>(b.stride);
  const int stride_c = static_cast<int>(c.stride);
  const T alpha = 1;
  const T beta = into == Into::add ? T(1) : T(0);
  call(&transpose_b, &transpose_a, &m, &n, &k, &alpha, b.data, &stride_b, a.data, &stride_a, &beta,
       c.data, &stride_c);
}

}  // namespace

void product_nt(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into) {
  product('N', a, 'T', b, c, into);
}
void product_nt(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into) {
  product('N', a, 'T', b, c, into);
}
void product_nn(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into) {
  product('N', a, 'N', b, c, into);
}
void product_nn(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into) {
  product('N', a, 'N', b, c, into);
}
void product_tn(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into) {
  product('T', a, 'N', b, c, into);
}
void product_tn(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into) {
  product('T', a, 'N', b, c, into);
}

}  // namespace attend::kernels
