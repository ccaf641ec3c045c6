#include "train/together/gradient_exchange.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace attend::train {
namespace {

using torch::autograd::variable_list;

class AfterAccumulation final : public torch::autograd::FunctionPostHook {
 public:
  explicit AfterAccumulation(std::function<void()> task) : task_(std::move(task)) {}

  variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
    task_();
    return outputs;
  }

 private:
  std::function<void()> task_;
};

}  // namespace

GradientExchange::GradientExchange(const FlatParameters& parameters,
                                   distributed::Communicator& peers, distributed::Wire wire,
                                   int64_t bucket)
    : peers_(peers),
      wire_(wire),
      device_(parameters.gradients().device()),
      all_{0, parameters.gradients().numel()} {
  const int64_t all = parameters.gradients().numel();
  for (int64_t end = all; end > 0; end -= bucket) {
    const int64_t begin = std::max<int64_t>(0, end - bucket);
    buckets_.push_back({parameters.gradients().narrow(0, begin, end - begin)});
  }
  for (const ParameterSlot& slot : parameters.slots()) {
    if (slot.begin == slot.end()) continue;
    watch(slot.parameter, static_cast<std::size_t>((all - slot.end()) / bucket),
          static_cast<std::size_t>((all - slot.begin - 1) / bucket));
  }
}

GradientExchange::~GradientExchange() {
  for (const Watch& watch : watches_) watch.accumulator->del_post_hook(watch.hook);
}

void GradientExchange::watch(const torch::Tensor& parameter, std::size_t first, std::size_t last) {
  const auto accumulator = torch::autograd::impl::grad_accumulator(parameter);
  if (!accumulator) return;  // no gradient
  for (std::size_t i = first; i <= last; ++i) ++buckets_[i].parameters;
  const uintptr_t hook = accumulator->add_post_hook(
      std::make_unique<AfterAccumulation>([this, first, last] { complete(first, last); }));
  watches_.push_back({accumulator, hook});
}

void GradientExchange::expect_last_pass() {
  is_last_pass_ = true;
  for (Bucket& bucket : buckets_) bucket.incomplete = bucket.parameters;
}

void GradientExchange::complete(std::size_t first, std::size_t last) {
  if (!is_last_pass_) return;
  for (std::size_t i = first; i <= last; ++i) --buckets_[i].incomplete;
  for (; sent_ < buckets_.size() && buckets_[sent_].incomplete == 0; ++sent_)
    peers_.begin_sum(buckets_[sent_].gradients, wire_);
}

void GradientExchange::send_remaining() {
  for (; sent_ < buckets_.size(); ++sent_) peers_.begin_sum(buckets_[sent_].gradients, wire_);
  sent_ = 0;
  is_last_pass_ = false;
}

void GradientExchange::add_up(std::vector<double>& losses) {
  send_remaining();
  // On a GPU the losses take the way of the gradients, which is faster than another one beside it.
  torch::Tensor sums = torch::tensor(losses, torch::kFloat64).to(device_);
  peers_.begin_sum(sums, distributed::Wire::full);
  peers_.finish_sums();
  sums = sums.cpu();
  losses.assign(sums.data_ptr<double>(), sums.data_ptr<double>() + sums.numel());
}

}  // namespace attend::train
