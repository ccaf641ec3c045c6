#include "model/word_dropout.h"

#include <torch/utils.h>

#include "text/vocabulary.h"

namespace attend::model {
namespace {

torch::Tensor are_words(const torch::Tensor& ids) {
  return (ids != int64_t{text::kPad}) & (ids != int64_t{text::kBos}) & (ids != int64_t{text::kEos});
}

/// True with `probability`, [count].
torch::Tensor draw(int64_t count, double probability, const torch::Tensor& ids) {
  return at::rand({count}, ids.options().dtype(torch::kFloat64)) < probability;
}

/// For each position the number of its (row, word), of those that there are.
torch::Tensor number_types(const torch::Tensor& ids) {
  constexpr int64_t kMostWords = int64_t{1} << 32;
  const torch::Tensor rows = torch::arange(ids.size(0), ids.options()).unsqueeze(1);  // [B, 1]
  return std::get<1>(at::_unique2(rows * kMostWords + ids, /*sorted=*/true,
                                  /*return_inverse=*/true, /*return_counts=*/false));
}

}  // namespace

torch::Tensor words_left_out(const torch::Tensor& ids, double probability, const std::string& by) {
  const torch::Tensor drawn = draw(ids.numel(), probability, ids);
  const torch::Tensor left_out =
      by == "type" ? drawn.index_select(0, number_types(ids).flatten()) : drawn;
  return left_out.view(ids.sizes()) & are_words(ids);
}

nn::IndexedRows embed_rest(const nn::Embedding& embedding, const torch::Tensor& ids,
                           const torch::Tensor& left_out, double probability) {
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
