#include "nn/attention/source_mixture.h"

#include <fmt/format.h>

#include "nn/attention/attended.h"
#include "nn/attention/distribution/masked_softmax.h"
#include "nn/attention/score/importance.h"

namespace attend::nn {
namespace {

/// Applies each source's layer to its x_k [..., C] -> [N, T, K, C].
torch::Tensor each(const std::vector<std::shared_ptr<Linear>>& layers, const torch::Tensor& x) {
  std::vector<torch::Tensor> results;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    results.push_back(layers[k]->forward(x.select(2, static_cast<int64_t>(k))));
  }
  return torch::stack(results, 2);
}

/// Shares of the sources that are present, normalised to sum to 1.
torch::Tensor shares_of(const torch::Tensor& amounts, const torch::Tensor& present) {
  const torch::Tensor seen = amounts * present.unsqueeze(1);
  return seen / seen.sum(2, /*keepdim=*/true).clamp_min(1e-30);
}

}  // namespace

SourceMixture::SourceMixture(Combination kind, int64_t sources, const AttentionOptions& options,
                             ScoreSizes sizes)
    : kind_(kind), sources_(sources), memory_size_(sizes.memory) {
  if (!is_flat()) {
    for (int64_t k = 1; k < sources; ++k) {
      more_scores_.push_back(
          register_module(fmt::format("score{}", k + 1), make_score(options, sizes)));
    }
  }
  if (kind == Combination::concat) return;
  value_ = linears("value", memory_size_, memory_size_, false);
  if (is_flat()) {
    key_ = linears("key", memory_size_, memory_size_, false);
  } else if (kind == Combination::gate) {
    query_ = linears("query", sizes.query, memory_size_, true);
    key_ = linears("key", memory_size_, memory_size_, false);
  } else {
    const int64_t inner = inner_size(options, sizes);
    query_ = {register_module("query", std::make_shared<Linear>(sizes.query, inner))};
    key_ = linears("key", memory_size_, inner, false);
    energy_ = register_module("energy", std::make_shared<Linear>(inner, 1, /*bias=*/false));
  }
}

SourceMixture::Linears SourceMixture::linears(const std::string& name, int64_t inputs,
                                              int64_t outputs, bool bias) {
  Linears all;
  for (int64_t k = 0; k < sources_; ++k) {
    all.push_back(register_module(fmt::format("{}{}", name, k + 1),
                                  std::make_shared<Linear>(inputs, outputs, bias)));
  }
  return all;
}

int64_t SourceMixture::context_size() const {
  return kind_ == Combination::concat ? sources_ * memory_size_ : memory_size_;
}

Memory SourceMixture::flattened(const Memory& memory) const {
  const torch::Tensor owner = Groups(memory).owner().unsqueeze(2);  // [B, S, 1]
  Memory result = memory;
  result.columns = torch::Tensor();
  result.keys = torch::zeros_like(memory.keys);
  result.values = torch::zeros_like(memory.values);
  for (std::size_t k = 0; k < key_.size(); ++k) {
    const torch::Tensor own = owner.eq(static_cast<int64_t>(k));
    result.keys = at::where(own, key_[k]->forward(memory.keys), result.keys);
    result.values = at::where(own, value_[k]->forward(memory.values), result.values);
  }
  return result;
}

torch::Tensor SourceMixture::prepare(const AttentionScore& first, const Memory& memory) const {
  const torch::Tensor owner = Groups(memory).owner();
  const auto prepared = [&](const AttentionScore& score, int64_t k) {
    Memory own = memory;
    own.mask = memory.mask.logical_and(owner.eq(k));
    return score.prepare(own);
  };
  torch::Tensor keys = prepared(first, 0);
  for (std::size_t i = 0; i < more_scores_.size(); ++i) {
    const auto k = static_cast<int64_t>(i) + 1;
    keys = at::where(owner.eq(k).unsqueeze(2), prepared(*more_scores_[i], k), keys);
  }
  return keys;
}

torch::Tensor SourceMixture::energies(const AttentionScore& first, const torch::Tensor& query,
                                      const PreparedMemory& memory) const {
  const torch::Tensor owner = Groups(memory.memory).owner().unsqueeze(1);  // [N, 1, S]
  torch::Tensor energies = first.energy(query, memory, {});
  for (std::size_t i = 0; i < more_scores_.size(); ++i) {
    energies = at::where(owner.eq(static_cast<int64_t>(i) + 1),
                         more_scores_[i]->energy(query, memory, {}), energies);
  }
  return energies;
}

SourceMixture::Mixed SourceMixture::mix(const torch::Tensor& query, const torch::Tensor& contexts,
                                        const torch::Tensor& present) const {
  if (kind_ == Combination::gate) return mix_by_gates(query, contexts, present);
  if (kind_ == Combination::hierarchical) return mix_by_attention(query, contexts, present);
  return {contexts.flatten(2), shares_of(torch::ones_like(contexts.select(3, 0)), present)};
}

SourceMixture::Mixed SourceMixture::mix_by_gates(const torch::Tensor& query,
                                                 const torch::Tensor& contexts,
                                                 const torch::Tensor& present) const {
  const torch::Tensor queries = query.unsqueeze(2).expand({-1, -1, sources_, -1});
  const torch::Tensor gates = (each(query_, queries) + each(key_, contexts)).sigmoid();
  return {(gates * each(value_, contexts)).sum(2), shares_of(gates.mean(3), present)};
}

SourceMixture::Mixed SourceMixture::mix_by_attention(const torch::Tensor& query,
                                                     const torch::Tensor& contexts,
                                                     const torch::Tensor& present) const {
  const torch::Tensor inner =
      (query_.front()->forward(query).unsqueeze(2) + each(key_, contexts)).tanh();
  const torch::Tensor shares =
      masked_softmax(energy_->forward(inner).squeeze(3), present.unsqueeze(1));  // [N, T, K]
  return {at::matmul(shares.unsqueeze(2), each(value_, contexts)).squeeze(2), shares};
}

}  // namespace attend::nn
