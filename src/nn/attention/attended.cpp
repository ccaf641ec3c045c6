#include "nn/attention/attended.h"

namespace attend::nn {

AttentionState AttentionState::select(const torch::Tensor& rows) const {
  const auto pick = [&rows](const torch::Tensor& x) {
    return x.defined() ? x.index_select(0, rows) : x;
  };
  return {pick(previous), pick(coverage)};
}

}  // namespace attend::nn
