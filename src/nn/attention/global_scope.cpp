#include "nn/attention/global_scope.h"

namespace attend::nn {

GlobalScope::GlobalScope(const AttentionOptions&) {}

Scoped GlobalScope::apply(const torch::Tensor& energies, const torch::Tensor&, const Memory& memory,
                          int64_t) const {
  return {energies, memory.mask.unsqueeze(1), {}};
}

}  // namespace attend::nn
