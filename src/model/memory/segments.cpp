#include "model/memory/segments.h"

#include "text/vocabulary.h"

namespace attend::model {

Segments::Segments(const data::SentenceBatch& source, text::TokenId separator,
                   text::TokenId blank) {
  const torch::Tensor between = source.ids.eq(separator).logical_and(source.mask);
  words = source.mask.logical_and(between.logical_not())
              .logical_and(source.ids.ne(text::kEos))
              .logical_and(source.ids.ne(blank));
  const torch::Tensor segment = between.cumsum(1);  // [B, S] number of the segment, from 0
  facts = between.sum(1);
  fact = facts.unsqueeze(1) - 1 - segment;
  question = words.logical_and(fact.lt(0));
  const torch::Tensor counted = words.to(torch::kInt64);
  const torch::Tensor sizes = torch::zeros({words.size(0), words.size(1) + 1}, counted.options())
                                  .scatter_add(1, segment, counted);
  size = sizes.gather(1, segment);
  place = counted.cumsum(1) - (sizes.cumsum(1) - sizes).gather(1, segment);
}

torch::Tensor Segments::position_encoding(int64_t features, const torch::Tensor& like) const {
  const auto number = like.options().requires_grad(false);
  const torch::Tensor share =
      (place.to(number) / size.clamp_min(1).to(number)).unsqueeze(2);               // j/J
  const torch::Tensor feature = torch::arange(1, features + 1, number) / features;  // k/d
  return 1 - share - feature * (1 - 2 * share);
}

}  // namespace attend::model
