#pragma once
#include "kernels/product/gemm.h"
#include "nn/fused/device/where.h"

namespace attend::nn::fused::device {

// The products of kernels/product/gemm.h on any device. On a GPU they call cuBLAS without the
// dispatch of LibTorch, which takes the host longer than a small product takes the GPU. With
// Precision::bf16, float operands are rounded to bf16 first, in memory of their own.
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
