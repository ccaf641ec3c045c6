#include "decode/scoring/penalty.h"

#include <algorithm>
#include <cmath>

namespace attend::decode {
namespace {

constexpr double kLeastCoverage = 1e-6;

}  // namespace

double normalised(double log_prob, int64_t length, double alpha) {
  return alpha == 0.0 ? log_prob : log_prob / std::pow(static_cast<double>(length), alpha);
}

double best_reachable(double log_prob, int64_t shortest, int64_t longest, double alpha) {
  return std::max(normalised(log_prob, shortest, alpha), normalised(log_prob, longest, alpha));
}

CoveragePenalty::CoveragePenalty(const torch::Tensor& mask, double beta)
    : coverage_(mask.logical_not().to(torch::kFloat)), beta_(beta) {}

void CoveragePenalty::add(const torch::Tensor& weights) {
  coverage_ = coverage_ + weights;
}

torch::Tensor CoveragePenalty::penalties() const {
  return coverage_.clamp(kLeastCoverage, 1.0)
      .log()
      .sum(1)
      .mul(beta_)
      .to(torch::kCPU, torch::kDouble);
}

void CoveragePenalty::select(const torch::Tensor& parents) {
  coverage_ = coverage_.index_select(0, parents);
}

}  // namespace attend::decode
