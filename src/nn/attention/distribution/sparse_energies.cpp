#include "nn/attention/distribution/sparse_energies.h"

#include "nn/attention/distribution/distribution.h"

namespace attend::nn {
namespace {

constexpr double kSurelyZero = -2.0;

}  // namespace

torch::Tensor sparse_energies(const torch::Tensor& energies, const torch::Tensor& mask) {
  const torch::Tensor seen = energies.masked_fill(mask.logical_not(), kLowestEnergy);
  return (seen - seen.amax(-1, /*keepdim=*/true)).clamp_min(kSurelyZero);
}

torch::Tensor ranks(const torch::Tensor& x) {
  return torch::arange(1, x.size(-1) + 1, x.options());
}

}  // namespace attend::nn
