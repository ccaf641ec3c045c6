#include "kernels/product/gemm.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "kernels/cpu/instructions.h"
#include "kernels/cpu/parallel.h"
#include "kernels/product/panels.h"

// The Fortran interface of BLAS, which every implementation has and LibTorch uses too.
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

/// Which operands are transposed, in the notation of BLAS.
struct Form {
  char a = 'N';
  char b = 'N';
};

/// BLAS stores matrices by column, so it sees each of ours transposed: c = op(a) op(b) becomes
/// c^T = op(b)^T op(a)^T.
template <class T>
void blas_product(Form form, Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into) {
  if (c.rows == 0 || c.columns == 0) return;
  const int m = static_cast<int>(c.columns);
  const int n = static_cast<int>(c.rows);
  const int k = static_cast<int>(form.a == 'T' ? a.rows : a.columns);
  // BLAS refuses the stride 0 of a matrix without columns, which gives a sum of no terms.
  const int stride_a = std::max(1, static_cast<int>(a.stride));
  const int stride_b = std::max(1, static_cast<int>(b.stride));
  const int stride_c = static_cast<int>(c.stride);
  const T alpha = 1;
  const T beta = into == Into::add ? T(1) : T(0);
  call(&form.b, &form.a, &m, &n, &k, &alpha, b.data, &stride_b, a.data, &stride_a, &beta, c.data,
       &stride_c);
}

template <class T>
Matrix<T> row_range(Matrix<T> x, int64_t begin, int64_t end) {
  return {x.data + begin * x.stride, end - begin, x.columns, x.stride};
}
template <class T>
Matrix<T> column_range(Matrix<T> x, int64_t begin, int64_t end) {
  return {x.data + begin, x.rows, end - begin, x.stride};
}

constexpr int64_t kManyRows = 256;
constexpr int64_t kUnit = 16;  // rows or columns; each thread takes a multiple of it

/// Each thread computes its part of c with a single-threaded BLAS. Our threads wait for each other
/// only once, at the end; the threads of OpenBLAS wait many times.
template <class T>
void shared_blas_product(Form form, Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into) {
  const int64_t threads = omp_in_parallel() != 0 ? 1 : omp_get_max_threads();
  const bool by_rows = c.rows >= kManyRows;
  const int64_t units = ((by_rows ? c.rows : c.columns) + kUnit - 1) / kUnit;
  if (threads == 1 || units < threads) return blas_product(form, a, b, c, into);
  parallel_ranges(
      by_rows ? c.rows : c.columns, (units + threads - 1) / threads * kUnit,
      [&](int64_t begin, int64_t end) {
        if (by_rows) {
          const auto part = form.a == 'T' ? column_range(a, begin, end) : row_range(a, begin, end);
          blas_product(form, part, b, row_range(c, begin, end), into);
        } else {
          const auto part = form.b == 'T' ? row_range(b, begin, end) : column_range(b, begin, end);
          blas_product(form, a, part, column_range(c, begin, end), into);
        }
      });
}

/// Returns true if Panels are faster for operands that change, as in training. With AVX2 OpenBLAS
/// is faster. (For constant weights Panels are faster with AVX2 too.)
bool lays_out(Precision precision) {
#ifdef ATTEND_NO_BLAS
  return has_panels(precision);
#else
  return has_panels(precision) && instructions_in_use() >= Instructions::avx512;
#endif
}

/// Fewest rows of c for which laying out b pays off in a single product.
#ifdef ATTEND_NO_BLAS
constexpr int64_t kRowsWorthPanels = 0;
#else
constexpr int64_t kRowsWorthPanels = 16;
#endif

void product(Form form, Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into,
             Precision precision) {
  const bool is_worth_it = c.rows >= kRowsWorthPanels && lays_out(precision);
  if (!is_worth_it && precision == Precision::full) {
    return shared_blas_product(form, a, b, c, into);
  }
  Panels(b, form.b == 'T', precision).multiply(a, form.a == 'T', c, into);
}

void product(Form form, Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into,
             Precision precision) {
  if (precision == Precision::bf16) throw std::logic_error("products in bf16 are for float only");
  shared_blas_product(form, a, b, c, into);
}

}  // namespace

template <class T>
void product_nt(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into, Precision precision) {
  product({'N', 'T'}, a, b, c, into, precision);
}
template <class T>
void product_nn(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into, Precision precision) {
  product({'N', 'N'}, a, b, c, into, precision);
}
template <class T>
void product_tn(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, Into into, Precision precision) {
  product({'T', 'N'}, a, b, c, into, precision);
}

using Floats = Matrix<const float>;
using Doubles = Matrix<const double>;
template void product_nt(Floats, Floats, Matrix<float>, Into, Precision);
template void product_nt(Doubles, Doubles, Matrix<double>, Into, Precision);
template void product_nn(Floats, Floats, Matrix<float>, Into, Precision);
template void product_nn(Doubles, Doubles, Matrix<double>, Into, Precision);
template void product_tn(Floats, Floats, Matrix<float>, Into, Precision);
template void product_tn(Doubles, Doubles, Matrix<double>, Into, Precision);

template <>
Operand<float>::Operand(Matrix<const float> b, bool transposed, Precision precision)
    : b_(b), transposed_(transposed) {
  if (precision == Precision::full && !lays_out(precision)) return;
  panels_ = std::make_shared<Panels>(b, transposed, precision);
}

template <>
Operand<double>::Operand(Matrix<const double> b, bool transposed, Precision precision)
    : b_(b), transposed_(transposed) {
  if (precision == Precision::bf16) throw std::logic_error("products in bf16 are for float only");
}

template <class T>
void Operand<T>::multiply(Matrix<const T> a, Matrix<T> c, Into into) const {
  if constexpr (std::is_same_v<T, float>) {
    if (panels_ != nullptr) return panels_->multiply(a, /*a_transposed=*/false, c, into);
  }
  shared_blas_product({'N', transposed_ ? 'T' : 'N'}, a, b_, c, into);
}

template class Operand<float>;
template class Operand<double>;

}  // namespace attend::kernels
