#include "decode/forced/word_blocks.h"

#include <algorithm>

namespace attend::decode {

void for_each_block(const model::Seq2Seq& model, const torch::Tensor& outputs,
                    const std::function<void(const torch::Tensor& logits, int64_t first)>& take) {
  for (int64_t first = 0; first < outputs.size(0); first += kWordsAtOnce) {
    const auto count = std::min(kWordsAtOnce, outputs.size(0) - first);
    take(model.logits(outputs.narrow(0, first, count)), first);
  }
}

}  // namespace attend::decode
