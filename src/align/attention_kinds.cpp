#include "align/attention_kinds.h"

namespace attend::align {

std::vector<std::string> attention_kind_names() {
  return {"encoder", "decoder", "cross"};
}

std::vector<WeightTable> heads_of(const AttentionMatrix& layer) {
  return layer.heads.empty() ? std::vector<WeightTable>{layer.weights} : layer.heads;
}

}  // namespace attend::align
