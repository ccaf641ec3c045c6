#include "model/sources/coattention.h"

#include "model/sources/alternating_coattention.h"
#include "model/sources/bidirectional_coattention.h"
#include "model/sources/dynamic_coattention.h"
#include "model/sources/parallel_coattention.h"
#include "nn/dropout.h"

namespace attend::model {

SideTable Coattention::across(const torch::Tensor& first_at_second,
                              const torch::Tensor& second_at_first) {
  return {{torch::Tensor(), first_at_second}, {second_at_first, torch::Tensor()}};
}

SideTable Coattention::within(const torch::Tensor& first, const torch::Tensor& second) {
  return {{first, torch::Tensor()}, {torch::Tensor(), second}};
}

torch::Tensor Coattention::mixed(const torch::Tensor& weights, const torch::Tensor& states) const {
  return at::bmm(nn::dropout(weights, dropout_.attention, is_training()), states);
}

std::shared_ptr<Coattention> make_coattention(const ModelOptions& options, int64_t size) {
  switch (options.sources.coattention) {
    case CoattentionKind::alternating:
      return std::make_shared<AlternatingCoattention>(options, size);
    case CoattentionKind::bidirectional:
      return std::make_shared<BidirectionalCoattention>(options, size);
    case CoattentionKind::dynamic:
      return std::make_shared<DynamicCoattention>(options, size);
    case CoattentionKind::none:
      return nullptr;
    case CoattentionKind::parallel:
      return std::make_shared<ParallelCoattention>(options, size);
  }
  return nullptr;
}

}  // namespace attend::model
