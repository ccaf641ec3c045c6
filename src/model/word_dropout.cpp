#include "model/word_dropout.h"

#include <torch/utils.h>

#include "nn/device/copies.h"
#include "nn/drawing.h"
#include "nn/execution.h"
#include "text/vocabulary.h"

namespace attend::model {
namespace {

torch::Tensor are_words(const torch::Tensor& ids) {
  return (ids != int64_t{text::kPad}) & (ids != int64_t{text::kBos}) & (ids != int64_t{text::kEos});
}

}  // namespace

torch::Tensor words_left_out(const torch::Tensor& ids, double probability, MaskPer by) {
  const torch::Tensor drawn =
      by == MaskPer::type ? nn::draw_uniform_at(ids) : nn::draw_uniform(ids.sizes());
  return nn::device::sent(drawn.lt(probability), ids.device()) & are_words(ids);
}

nn::IndexedRows embed_rest(const nn::Embedding& embedding, const torch::Tensor& ids,
                           const torch::Tensor& left_out, double probability) {
  if (nn::has_device_forms(embedding.weight())) {  // without waiting for the number of words
    const torch::Tensor scale = torch::ones(ids.sizes(), embedding.weight().options())
                                    .masked_fill_(are_words(ids), 1.0 / (1.0 - probability))
                                    .masked_fill_(left_out, 0.0);
    return embedding.forward(ids) * scale.unsqueeze(2);
  }
  const auto [words, index, counts] =
      at::_unique2(ids, /*sorted=*/true, /*return_inverse=*/true, /*return_counts=*/false);
  const torch::Tensor vectors = embedding.forward(words);  // [U, E]
  const torch::Tensor scale =
      torch::ones({words.size(0), 1}, vectors.options())
          .masked_fill_(are_words(words).unsqueeze(1), 1.0 / (1.0 - probability));
  const torch::Tensor zeros = torch::zeros({1, vectors.size(1)}, vectors.options());
  return {at::cat({vectors * scale, zeros}), index.masked_fill(left_out, words.size(0))};
}

}  // namespace attend::model
