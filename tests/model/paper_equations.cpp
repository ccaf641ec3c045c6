#include "tests/model/paper_equations.h"

#include "tests/support/tensors.h"

namespace attend::test {

torch::Tensor Equations::at(const std::string& name) const {
  return parameter(model_, name);
}

torch::Tensor Equations::affine(const std::string& block, const torch::Tensor& x) const {
  const torch::Tensor product = torch::matmul(x, at(block + ".weight").t());
  return model_.named_parameters().contains(block + ".bias") ? product + at(block + ".bias")
                                                             : product;
}

torch::Tensor Equations::cell_input(const std::string& block, const torch::Tensor& x) const {
  return torch::matmul(x, at(block + ".input_weight").t()) + at(block + ".bias");
}

nn::CellState Equations::lstm(const std::string& block, const torch::Tensor& input,
                              const nn::CellState& state) const {
  const auto gates =
      (input + torch::matmul(state.hidden, at(block + ".recurrent_weight").t())).chunk(4, 1);
  const auto cell = gates[1].sigmoid() * state.cell + gates[0].sigmoid() * gates[2].tanh();
  return {gates[3].sigmoid() * cell.tanh(), cell};
}

nn::CellState Equations::gru(const std::string& block, const torch::Tensor& input,
                             const nn::CellState& state) const {
  const auto x = input.chunk(3, 1);
  const auto u = torch::matmul(state.hidden, at(block + ".recurrent_weight").t()).chunk(3, 1);
  const auto reset = (x[0] + u[0]).sigmoid();
  const auto update = (x[1] + u[1]).sigmoid();
  const auto candidate = (x[2] + reset * (u[2] + at(block + ".candidate_bias"))).tanh();
  return {(1 - update) * candidate + update * state.hidden, {}};
}

torch::Tensor Equations::additive(const torch::Tensor& query, const torch::Tensor& memory) const {
  const std::string score = "decoder.attention.score.";
  const auto from_query = torch::matmul(query, at(score + "query_weight").t()).unsqueeze(1);
  const auto from_keys = torch::matmul(memory, at(score + "key_weight").t()) + at(score + "bias");
  return torch::matmul((from_query + from_keys).tanh(), at(score + "vector")).softmax(1);
}

torch::Tensor Equations::general(const torch::Tensor& query, const torch::Tensor& memory) const {
  const auto mapped = torch::matmul(query, at("decoder.attention.score.weight"));  // [N, C]
  return (memory * mapped.unsqueeze(1)).sum(2).softmax(1);
}

torch::Tensor Equations::word(const torch::Tensor& tokens) const {
  return at("target_embedding.weight").index_select(0, tokens);
}

torch::Tensor Equations::log_probs(const torch::Tensor& x) const {
  return affine("output", x).log_softmax(1);
}

torch::Tensor mix(const torch::Tensor& weights, const torch::Tensor& memory) {
  return (weights.unsqueeze(2) * memory).sum(1);
}

}  // namespace attend::test
