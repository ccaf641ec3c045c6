#pragma once
#include <torch/types.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace attend::model {

/// Everything that passes from one target position to the next, as a value that only its decoder
/// can read: cell states, key-value caches, an external memory. Rows are hypotheses. Copies share
/// their immutable content.
class DecoderState {
 public:
  /// The empty state, of a decoder that carries nothing from position to position.
  DecoderState() = default;

  /// Holds a decoder's own `State`, which has
  ///   State reorder(const torch::Tensor& parents) const;
  ///   std::vector<torch::Tensor> tensors() const;
  template <class State>
  explicit DecoderState(State state) : held_(std::make_shared<Holder<State>>(std::move(state))) {}

  /// Row i of the result is row parents[i] ([N'] int64) of this state.
  [[nodiscard]] DecoderState reorder(const torch::Tensor& parents) const {
    return held_ ? held_->reorder(parents) : *this;
  }
  /// All tensors of the state, in an order that the decoder chooses.
  [[nodiscard]] std::vector<torch::Tensor> tensors() const {
    return held_ ? held_->tensors() : std::vector<torch::Tensor>();
  }

  /// The decoder's own state. Throws std::logic_error if it belongs to another kind of decoder.
  template <class State>
  [[nodiscard]] const State& as() const {
    const auto* const holder = dynamic_cast<const Holder<State>*>(held_.get());
    if (holder == nullptr) throw std::logic_error("the state belongs to another kind of decoder");
    return holder->state;
  }

 private:
  struct Held {
    virtual ~Held() = default;
    [[nodiscard]] virtual DecoderState reorder(const torch::Tensor& parents) const = 0;
    [[nodiscard]] virtual std::vector<torch::Tensor> tensors() const = 0;
  };
  template <class State>
  struct Holder final : Held {
    explicit Holder(State the_state) : state(std::move(the_state)) {}
    [[nodiscard]] DecoderState reorder(const torch::Tensor& parents) const override {
      return DecoderState(state.reorder(parents));
    }
    [[nodiscard]] std::vector<torch::Tensor> tensors() const override { return state.tensors(); }
    State state;
  };

  std::shared_ptr<const Held> held_;  // null: no state at all
};

}  // namespace attend::model
