#pragma once
#include "kernels/product/gemm.h"
#include "nn/fused/device/where.h"

namespace attend::nn::fused::device {

// The products of kernels/product/gemm.h on any device. On a GPU they call cuBLAS directly, since
// LibTorch's dispatch takes the host longer than a small product takes the GPU. With
// Precision::bf16, float operands are first rounded to bf16 in separate memory.
template <class T>
void product_nt(const Where& where, const kernels::Matrix<const T>& a,
                const kernels::Matrix<const T>& b, const kernels::Matrix<T>& c, kernels::Into into,
                kernels::Precision precision = kernels::Precision::full);
template <class T>
void product_nn(const Where& where, const kernels::Matrix<const T>& a,
                const kernels::Matrix<const T>& b, const kernels::Matrix<T>& c, kernels::Into into,
                kernels::Precision precision = kernels::Precision::full);
template <class T>
void product_tn(const Where& where, const kernels::Matrix<const T>& a,
                const kernels::Matrix<const T>& b, const kernels::Matrix<T>& c, kernels::Into into,
                kernels::Precision precision = kernels::Precision::full);

}  // namespace attend::nn::fused::device
