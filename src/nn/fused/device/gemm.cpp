#include "nn/fused/device/gemm.h"

#include <array>
#include <type_traits>

#include "nn/fused/device/cublas.h"

namespace attend::nn::fused::device {
namespace {

using kernels::Into;
using kernels::Matrix;
using kernels::Precision;
using torch::Tensor;

/// The three products, named by the transposed factor.
enum class Turned { neither, left, right };

template <class T>
Tensor tensor_of(const Where& where, const Matrix<T>& x) {
  using Number = std::remove_const_t<T>;
  const std::array<int64_t, 2> sizes{x.rows, x.columns}, strides{x.stride, 1};
  return at::for_blob(const_cast<Number*>(x.data), sizes)
      .strides(torch::IntArrayRef(strides))
      .options(where.options)
      .target_device(where.options.device())
      .make_tensor();
}

/// cuBLAS is column-major, so it sees the transpose of each matrix. It computes c^T [N, M] = b^T
/// a^T, with the right factor first.
template <class T, class Sum>
void cublas_product(Turned turned, const Matrix<const T>& a, const Matrix<const T>& b,
                    const Matrix<Sum>& c, Into into) {
  RECORD_USER_SCOPE("attend::product");
  const CublasProduct product{turned == Turned::right,
                              turned == Turned::left,
                              {c.columns, c.rows, turned == Turned::left ? a.rows : a.columns},
                              {b.data, number_type<T>(), b.stride},
                              {a.data, number_type<T>(), a.stride},
                              into == Into::add,
                              c.data,
                              number_type<Sum>(),
                              c.stride};
  run_cublas(product);
}

Matrix<const at::BFloat16> rounded_matrix(const Tensor& rounded) {
  return {rounded.data_ptr<at::BFloat16>(), rounded.size(0), rounded.size(1), rounded.size(1)};
}

void libtorch_product(Turned turned, const Tensor& a, const Tensor& b, Tensor c, Into into) {
  const Tensor left = turned == Turned::left ? a.t() : a;
  const Tensor right = turned == Turned::right ? b.t() : b;
  into == Into::add ? at::addmm_out(c, c, left, right) : at::mm_out(c, left, right);
}

template <class T>
Tensor rounded(const Where& where, const Matrix<const T>& x) {
  return tensor_of(where, x).to(torch::kBFloat16).contiguous();
}

void product_in_bf16(const Where& where, Turned turned, const Tensor& a, const Tensor& b,
                     const Matrix<float>& c, Into into) {
  if (where.place.is_cuda && has_cublas()) {
    return cublas_product(turned, rounded_matrix(a), rounded_matrix(b), c, into);
  }
  libtorch_product(turned, a.to(torch::kFloat32), b.to(torch::kFloat32), tensor_of(where, c), into);
}

template <class T>
void product(const Where& where, Turned turned, const Matrix<const T>& a, const Matrix<const T>& b,
             const Matrix<T>& c, Into into, Precision precision) {
  if constexpr (std::is_same_v<T, float>) {
    if (precision == Precision::bf16) {
      return product_in_bf16(where, turned, rounded(where, a), rounded(where, b), c, into);
    }
  }
  if (where.place.is_cuda && has_cublas()) return cublas_product(turned, a, b, c, into);
  libtorch_product(turned, tensor_of(where, a), tensor_of(where, b), tensor_of(where, c), into);
}

}  // namespace

template <class T>
void product_nt(const Where& where, const Matrix<const T>& a, const Matrix<const T>& b,
                const Matrix<T>& c, Into into, Precision precision) {
  product(where, Turned::right, a, b, c, into, precision);
}

template <class T>
void product_nn(const Where& where, const Matrix<const T>& a, const Matrix<const T>& b,
                const Matrix<T>& c, Into into, Precision precision) {
  product(where, Turned::neither, a, b, c, into, precision);
}

template <class T>
void product_tn(const Where& where, const Matrix<const T>& a, const Matrix<const T>& b,
                const Matrix<T>& c, Into into, Precision precision) {
  product(where, Turned::left, a, b, c, into, precision);
}

#define ATTEND_PRODUCTS(T)                                                               \
  template void product_nt(const Where&, const Matrix<const T>&, const Matrix<const T>&, \
                           const Matrix<T>&, Into, Precision);                           \
  template void product_nn(const Where&, const Matrix<const T>&, const Matrix<const T>&, \
                           const Matrix<T>&, Into, Precision);                           \
  template void product_tn(const Where&, const Matrix<const T>&, const Matrix<const T>&, \
                           const Matrix<T>&, Into, Precision);

ATTEND_PRODUCTS(float)
ATTEND_PRODUCTS(double)

#undef ATTEND_PRODUCTS

}  // namespace attend::nn::fused::device
