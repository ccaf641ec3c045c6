#include "tests/app/explain/replaced_weights.h"

#include <torch/utils.h>

#include "data/batch.h"

namespace attend::app::test {
namespace {

/// The state and the previous token before position `t`.
struct Place {
  model::Memories memories;
  model::DecoderState state;
  torch::Tensor previous;
};

Place place_of(const model::Seq2Seq& model, const Tokens& source, const Tokens& target,
               std::size_t t) {
  const model::Encoded encoded = model.encode(data::frame_sources({source}));
  Place place{encoded.memories, encoded.start, torch::tensor({int64_t{text::kBos}})};
  for (std::size_t i = 0; i < t; ++i) {
    place.state = model.step(place.previous, place.memories, place.state).state;
    place.previous = torch::tensor({int64_t{target[i]}});
  }
  return place;
}

}  // namespace

model::Predicted predicted_with(const model::Seq2Seq& model, const Tokens& source,
                                const Tokens& target, std::size_t t,
                                const std::vector<double>& weights) {
  const torch::NoGradGuard no_gradients;
  const Place place = place_of(model, source, target, t);
  const nn::PreparedMemory& all = place.memories.front();
  const torch::Tensor mixed = torch::matmul(torch::tensor(weights, all.memory.values.options()),
                                            all.memory.values[0]);  // [C]
  const nn::PreparedMemory one{{all.memory.keys.narrow(1, 0, 1), mixed.view({1, 1, -1}),
                                torch::ones({1, 1}, torch::kBool), torch::ones({1}, torch::kInt64)},
                               all.keys.narrow(1, 0, 1),
                               {},
                               {}};
  return model.step(place.previous, {one}, place.state);
}

torch::Tensor scores_with(const model::Seq2Seq& model, const Tokens& source, const Tokens& target,
                          std::size_t t, const std::vector<double>& weights) {
  return predicted_with(model, source, target, t, weights).logits[0];
}

std::vector<double> own_weights(const model::Seq2Seq& model, const Tokens& source,
                                const Tokens& target, std::size_t t) {
  const torch::NoGradGuard no_gradients;
  const Place place = place_of(model, source, target, t);
  const torch::Tensor weights =
      model.step(place.previous, place.memories, place.state).weights[0].to(torch::kFloat64);
  return {weights.data_ptr<double>(), weights.data_ptr<double>() + weights.numel()};
}

}  // namespace attend::app::test
