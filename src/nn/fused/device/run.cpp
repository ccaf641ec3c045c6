#include "nn/fused/device/operations.h"

namespace attend::nn::fused::device {
namespace {

void run_forward_through(const kernels::Operations& body, const kernels::Steps& steps) {
  for (const auto& operation : body) operation->start();
  for (int64_t step = 0; step < steps.count(); ++step) {
    for (const auto& operation : body) operation->forward(step);
  }
}

void run_backward_through(const kernels::Operations& body, const kernels::Steps& steps) {
  for (int64_t step = steps.count() - 1; step >= 0; --step) {
    for (auto operation = body.rbegin(); operation != body.rend(); ++operation) {
      (*operation)->backward(step);
    }
  }
  for (const auto& operation : body) operation->finish();
}

}  // namespace

void run(const std::vector<kernels::Operations>& loops, const kernels::Steps& steps,
         bool backward) {
  const torch::NoGradGuard no_grad;
  for (const kernels::Operations& body : loops) {
    backward ? run_backward_through(body, steps) : run_forward_through(body, steps);
  }
}

}  // namespace attend::nn::fused::device
