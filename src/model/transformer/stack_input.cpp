#include "model/transformer/stack_input.h"

#include <cmath>

#include "nn/dropout.h"
#include "nn/positions.h"

namespace attend::model {
namespace {

constexpr int64_t kTabulated = 1024;  // positions whose sinusoids are computed once

}  // namespace

StackInput::StackInput(const TransformerOptions& stack, const ModelOptions& model)
    : positions_(stack.positions), dropout_(model.dropout.embedding) {
  const int64_t size = width_of(stack, model);
  if (size != model.embedding) {
    projection_ =
        register_module("projection", std::make_shared<nn::Linear>(model.embedding, size));
  }
  if (positions_ == nn::PositionKind::sinusoidal) {
    // A buffer, which moves to a GPU with the model, but is no part of its weights.
    sinusoids_ = register_buffer(
        "sinusoids", nn::sinusoids({0, kTabulated}, size, torch::empty({0}, torch::kFloat64)));
  }
  if (positions_ == nn::PositionKind::learned) {
    learned_ =
        register_module("positions", std::make_shared<nn::Embedding>(stack.max_positions, size));
  }
}

torch::Tensor StackInput::forward(const torch::Tensor& embedded, int64_t position) const {
  torch::Tensor x = embedded * std::sqrt(static_cast<double>(embedded.size(-1)));
  if (projection_) x = projection_->forward(x);
  const torch::Tensor added = places(x, position);
  if (added.defined()) x = x + added;
  return nn::dropout(x, dropout_, is_training());
}

torch::Tensor StackInput::places(const torch::Tensor& x, int64_t position) const {
  const int64_t steps = x.size(1);
  if (sinusoids_.defined() && position + steps <= kTabulated)
    return sinusoids_.narrow(0, position, steps).to(x.options().requires_grad(false));
  if (sinusoids_.defined()) return nn::sinusoids({position, steps}, x.size(2), x);
  if (!learned_) return {};
  const auto options = x.options().dtype(torch::kInt64).requires_grad(false);
  const int64_t last = learned_->weight().size(0) - 1;
  return learned_->forward(torch::arange(position, position + steps, options).clamp_max(last));
}

}  // namespace attend::model
