#pragma once
// A second implementation of the decoders, from the equations and a model's parameters by name, as
// an oracle for the wirings. No padding, no dropout, float64, [N, *] throughout.
#include <string>

#include "model/seq2seq.h"
#include "nn/rnn/cell.h"

namespace attend::test {

class Equations {
 public:
  explicit Equations(const model::Seq2Seq& model) : model_(model) {}

  /// A parameter by its name.
  [[nodiscard]] torch::Tensor at(const std::string& name) const;
  /// x W^T + b, or x W^T if the block has no b.
  [[nodiscard]] torch::Tensor affine(const std::string& block, const torch::Tensor& x) const;

  /// Gates from `input` [N, gates * H] = W x + b plus any further inputs.
  [[nodiscard]] nn::CellState lstm(const std::string& block, const torch::Tensor& input,
                                   const nn::CellState& state) const;
  [[nodiscard]] nn::CellState gru(const std::string& block, const torch::Tensor& input,
                                  const nn::CellState& state) const;
  /// W x + b of a cell.
  [[nodiscard]] torch::Tensor cell_input(const std::string& block, const torch::Tensor& x) const;

  /// softmax_s(v^T tanh(W_q q + W_k h_s + b)) over memory [N, S, C]: [N, S].
  [[nodiscard]] torch::Tensor additive(const torch::Tensor& query,
                                       const torch::Tensor& memory) const;
  /// softmax_s(q^T W h_s).
  [[nodiscard]] torch::Tensor general(const torch::Tensor& query,
                                      const torch::Tensor& memory) const;

  /// Embedding of the previous words [N].
  [[nodiscard]] torch::Tensor word(const torch::Tensor& tokens) const;
  /// log softmax(W_o x + b_o).
  [[nodiscard]] torch::Tensor log_probs(const torch::Tensor& x) const;

 private:
  const model::Seq2Seq& model_;
};

/// sum_s weights[s] * memory[s].
[[nodiscard]] torch::Tensor mix(const torch::Tensor& weights, const torch::Tensor& memory);

}  // namespace attend::test
