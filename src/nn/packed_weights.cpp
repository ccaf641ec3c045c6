#include "nn/packed_weights.h"

#include <c10/util/DimVector.h>

#include <mutex>
#include <utility>

#include "nn/execution.h"
#include "nn/matrix_of.h"

namespace attend::nn {
namespace {

bool is_float_on_cpu(const torch::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == torch::kFloat32;
}

bool can_be_packed(const torch::Tensor& x, const torch::Tensor& weight) {
  return execution().packed != nullptr && !torch::GradMode::is_enabled() && is_float_on_cpu(x) &&
         is_float_on_cpu(weight) && weight.stride(1) == 1;
}

void multiply_into(const torch::Tensor& y, const torch::Tensor& x,
                   const kernels::PackedWeight& weight, kernels::Into into) {
  weight.multiply(matrix_of<const float>(x), matrix_of<float>(y), into);
}

}  // namespace

const kernels::PackedWeight& PackedWeights::of(const torch::Tensor& weight) {
  const float* const data = weight.data_ptr<float>();
  const Key key{data, weight.size(0), weight.size(1), weight.stride(0)};
  if (const kernels::PackedWeight* const found = find(key)) return *found;
  const std::lock_guard lock(
      mutex_);  // held while packing, so that no two threads pack the same weight
  const auto present = entries_.find(key);
  if (present != entries_.end()) return present->second.packed;
  kernels::PackedWeight packed(matrix_of<const float>(weight), type_);
  return entries_.emplace(key, Entry{weight, std::move(packed)}).first->second.packed;
}

const kernels::PackedWeight* PackedWeights::find(const Key& key) const {
  const std::shared_lock lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second.packed;
}

const kernels::PackedWeight* packed_for(const torch::Tensor& x, const torch::Tensor& weight) {
  return can_be_packed(x, weight) ? &execution().packed->of(weight) : nullptr;
}

std::unique_ptr<const kernels::PackedWeight> pack_temporary(const torch::Tensor& weight) {
  if (!can_be_packed(weight, weight)) return nullptr;
  return std::make_unique<kernels::PackedWeight>(matrix_of<const float>(weight),
                                                 execution().packed->type());
}

torch::Tensor multiply(const torch::Tensor& x, const kernels::PackedWeight& weight) {
  // Without reshape() and view(): they take longer than the product of a few rows.
  const torch::Tensor input = x.contiguous();
  c10::DimVector sizes(input.sizes());
  const int64_t inputs = std::exchange(sizes.back(), weight.outputs());
  const int64_t rows = input.numel() / inputs;
  const torch::Tensor y = torch::empty(sizes, input.options());
  weight.multiply({input.data_ptr<float>(), rows, inputs, inputs},
                  {y.data_ptr<float>(), rows, weight.outputs(), weight.outputs()},
                  kernels::Into::overwrite);
  return y;
}

torch::Tensor multiply_added(const torch::Tensor& sum, const torch::Tensor& x,
                             const kernels::PackedWeight& weight) {
  torch::Tensor y = torch::empty(sum.sizes(), sum.options());
  y.copy_(sum);
  multiply_into(y, x.contiguous(), weight, kernels::Into::add);
  return y;
}

}  // namespace attend::nn
