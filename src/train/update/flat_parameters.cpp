#include "train/update/flat_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include <unordered_set>
#include <vector>

namespace attend::train {
namespace {

constexpr int64_t kAlignment = 16;  // floats: 64 bytes

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& module, const MakeZeros& zeros) {
  const torch::NoGradGuard no_grad;
  std::unordered_set<torch::TensorImpl*> seen;
  int64_t size = 0;
  for (const auto& item : module.named_parameters()) {
    if (!seen.insert(item.value().unsafeGetTensorImpl()).second) continue;
    slots_.push_back({item.value(), size});
    layout_ += fmt::format("{} [{}]\n", item.key(), fmt::join(item.value().sizes(), ", "));
    count_ += item.value().numel();
    size += (item.value().numel() + kAlignment - 1) / kAlignment * kAlignment;
  }
  const auto options = slots_.empty() ? torch::TensorOptions() : slots_[0].parameter.options();
  const auto buffer = [&] {
    const auto plain = options.requires_grad(false);
    return zeros ? zeros(size, plain) : torch::zeros({size}, plain);
  };
  values_ = buffer();
  gradients_ = buffer();
  for (ParameterSlot& slot : slots_) {
    slot.in(values_).copy_(slot.parameter);
    slot.parameter.set_data(slot.in(values_));
    slot.parameter.mutable_grad() = slot.in(gradients_);
  }
}

BorrowedValues::BorrowedValues(const FlatParameters& parameters, const torch::Tensor& values)
    : target_(parameters.values()), own_(target_.clone()) {
  const torch::NoGradGuard no_grad;
  target_.copy_(values);
}

BorrowedValues::~BorrowedValues() {
  const torch::NoGradGuard no_grad;
  target_.copy_(own_);
}

}  // namespace attend::train
