#include "model/sources/coattention.h"

#include <functional>
#include <map>
#include <string>

#include "model/sources/alternating_coattention.h"
#include "model/sources/bidirectional_coattention.h"
#include "model/sources/dynamic_coattention.h"
#include "model/sources/parallel_coattention.h"
#include "nn/dropout.h"

namespace attend::model {
namespace {

using MakeCoattention =
    std::function<std::shared_ptr<Coattention>(const ModelOptions& options, int64_t size)>;

template <class Kind>
std::shared_ptr<Coattention> make_coattention_kind(const ModelOptions& options, int64_t size) {
  return std::make_shared<Kind>(options, size);
}

std::map<std::string, MakeCoattention> coattentions() {
  return {
      {"alternating", make_coattention_kind<AlternatingCoattention>},
      {"bidirectional", make_coattention_kind<BidirectionalCoattention>},
      {"dynamic", make_coattention_kind<DynamicCoattention>},
      {"none", [](const ModelOptions&, int64_t) { return nullptr; }},
      {"parallel", make_coattention_kind<ParallelCoattention>},
  };
}

}  // namespace

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
  return coattentions().at(options.sources.coattention)(options, size);
}

}  // namespace attend::model
