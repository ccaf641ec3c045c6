#include "distributed/device_sums.h"

#include <ATen/Functions.h>
#include <torch/utils.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "distributed/links.h"

namespace attend::distributed {
namespace {

/// The sum of row `rank` of the parts of all processes: own values, and what the others sent.
torch::Tensor sum_of_own_part(const DeviceCollectives& collectives, const torch::Tensor& values,
                              const torch::Tensor& received) {
  const int64_t part = received.size(1);
  const int64_t begin = std::min(collectives.rank() * part, values.numel());
  const int64_t count = std::min(part, values.numel() - begin);
  torch::Tensor sum = at::zeros({part}, values.options());
  for (int64_t rank = 0; rank < collectives.size(); ++rank) {
    if (rank == collectives.rank()) {
      sum.narrow(0, 0, count).add_(values.narrow(0, begin, count));
    } else {
      sum.add_(received[rank]);
    }
  }
  return sum;
}

void sum_in_bf16(DeviceCollectives& collectives, const torch::Tensor& values) {
  const int64_t ranks = collectives.size();
  const int64_t part = (values.numel() + ranks - 1) / ranks;
  const torch::Tensor sent = at::zeros({ranks, part}, values.options().dtype(torch::kBFloat16));
  sent.flatten().narrow(0, 0, values.numel()).copy_(values);
  const torch::Tensor received = at::empty_like(sent);
  collectives.all_to_all(received, sent);
  const torch::Tensor sum = sum_of_own_part(collectives, values, received);
  collectives.all_gather(received, sum.to(torch::kBFloat16));
  values.copy_(received.flatten().narrow(0, 0, values.numel()));
}

}  // namespace

DeviceSums::DeviceSums(std::unique_ptr<DeviceCollectives> collectives)
    : collectives_(std::move(collectives)) {}

void DeviceSums::begin(const torch::Tensor& values, Wire wire) {
  if (values.dim() != 1 || !values.is_contiguous())
    throw std::logic_error("DeviceSums: the values are not one contiguous row");
  if (failure_ || values.numel() == 0) return;
  const torch::NoGradGuard no_grad;
  begun_.push_back(values);
  try {
    collectives_->queue([&] {
      if (wire == Wire::bf16) {
        sum_in_bf16(*collectives_, values);
      } else {
        collectives_->all_reduce(values);
      }
    });
  } catch (const LostContact&) {
    failure_ = std::current_exception();
  }
}

void DeviceSums::finish() {
  if (failure_) std::rethrow_exception(failure_);
  if (begun_.empty()) return;
  collectives_->wait();
  begun_.clear();
}

void DeviceSums::take_from_first(const torch::Tensor& values) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor copy = values.contiguous();
  collectives_->queue([&] { collectives_->broadcast(copy); });
  collectives_->wait();
  if (collectives_->rank() != 0 && !copy.is_same(values)) torch::Tensor(values).copy_(copy);
}

}  // namespace attend::distributed
