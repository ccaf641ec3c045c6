#include "nn/fused/device/cublas.h"

#include <stdexcept>
#include <string>

#if defined(ATTEND_CUDA)
#include <ATen/cuda/CUDAContext.h>
#include <dlfcn.h>
#endif

namespace attend::nn::fused::device {

#if defined(ATTEND_CUDA)
namespace {

using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType_t, int, const void*,
                                  cudaDataType_t, int, const void*, void*, cudaDataType_t, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);

/// cuBLAS as loaded by LibTorch. It is looked up, not linked, because it may be in a folder that
/// only LibTorch searches, and a second copy would need its own handle.
GemmEx gemm_ex() {
  static const auto found = reinterpret_cast<GemmEx>(dlsym(RTLD_DEFAULT, "cublasGemmEx"));
  return found;
}

cudaDataType_t cuda_type(torch::ScalarType type) {
  if (type == torch::kFloat64) return CUDA_R_64F;
  return type == torch::kFloat32 ? CUDA_R_32F : CUDA_R_16BF;
}

cublasOperation_t operation(bool turned) {
  return turned ? CUBLAS_OP_T : CUBLAS_OP_N;
}

template <class Sum>
cublasStatus_t start_product(const CublasProduct& product, cublasComputeType_t sums) {
  const Sum one = 1, beta = product.adds ? Sum(1) : Sum(0);
  const auto narrow = [](int64_t size) { return static_cast<int>(size); };
  return gemm_ex()(at::cuda::getCurrentCUDABlasHandle(), operation(product.a_turned),
                   operation(product.b_turned), narrow(product.sizes[0]), narrow(product.sizes[1]),
                   narrow(product.sizes[2]), &one, product.a.data, cuda_type(product.a.type),
                   narrow(product.a.stride), product.b.data, cuda_type(product.b.type),
                   narrow(product.b.stride), &beta, product.c, cuda_type(product.c_type),
                   narrow(product.c_stride), sums, CUBLAS_GEMM_DEFAULT);
}

}  // namespace

bool has_cublas() {
  return gemm_ex() != nullptr;
}

void run_cublas(const CublasProduct& product) {
  const cublasStatus_t status = product.c_type == torch::kFloat64
                                    ? start_product<double>(product, CUBLAS_COMPUTE_64F)
                                    : start_product<float>(product, CUBLAS_COMPUTE_32F);
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error("cuBLAS cannot start a matrix product, status " +
                           std::to_string(static_cast<int>(status)));
}
#else
bool has_cublas() {
  return false;
}

void run_cublas(const CublasProduct&) {
  throw std::logic_error("this build has no cuBLAS");
}
#endif

}  // namespace attend::nn::fused::device
