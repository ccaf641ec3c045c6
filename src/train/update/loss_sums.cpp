#include "train/update/loss_sums.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/version.h>

#include <vector>

namespace attend::train {

using torch::Tensor;

void LossSums::add(Term term, const Tensor& value, double share, bool stays) {
  if (!stays) {
    read_[term] += share * value.item<double>();
    return;
  }
  const Tensor scaled = value.detach().to(torch::kFloat64) * share;
  waiting_[term] = waiting_[term].defined() ? waiting_[term] + scaled : scaled;
}

Tensor LossSums::there() const {
  torch::TensorOptions options;
  for (const Tensor& value : waiting_) {
    if (value.defined()) options = value.options();
  }
  std::vector<Tensor> values;
  for (const Tensor& value : waiting_)
    values.push_back(value.defined() ? value : torch::zeros({}, options));
  return torch::stack(values);
}

void LossSums::take(const Tensor& arrived) {
  const auto* const value = arrived.data_ptr<double>();
  for (std::size_t term = 0; term < kTerms; ++term) read_[term] += value[term];
  waiting_ = {};
}

#if TORCH_VERSION_MAJOR >= 2

struct Arrival::Event {
  c10::Event event;
};

Arrival::Arrival(const Tensor& x) : there_(x), host_(x) {
  if (x.is_cpu()) return;
  host_ = torch::empty(x.sizes(), x.options().device(torch::kCPU).pinned_memory(true));
  host_.copy_(x, /*non_blocking=*/true);
  event_ = std::make_unique<Event>(Event{c10::Event(x.device().type())});
  event_->event.record(c10::impl::VirtualGuardImpl(x.device().type()).getStream(x.device()));
}

const Tensor& Arrival::value() {
  if (event_ != nullptr) event_->event.synchronize();
  return host_;
}

#else

struct Arrival::Event {};

Arrival::Arrival(const Tensor& x) : there_(x), host_(x.cpu()) {}

const Tensor& Arrival::value() {
  return host_;
}

#endif

Arrival::~Arrival() = default;

}  // namespace attend::train
