#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nn/attention/groups.h"
#include "nn/attention/registry.h"
#include "nn/linear.h"

namespace attend::nn {

/// Combines the attention to several sources into one context. The memory holds the positions of
/// the sources one after another, and its groups are the K sources (groups.h). c_k is the context
/// of source k, q the query; U_k, V_k are matrices of source k.
///   flat          one distribution over all positions: keys U_k h, values V_k h
///   concat        [c_1; ...; c_K] (Zoph & Knight 2016, arXiv 1601.00710, with our attention)
///   gate          sum of g_k * V_k c_k,  g_k = sigma(W_k q + U_k c_k + b_k)
///   hierarchical  sum of b_k V_k c_k,  b = softmax_k(v . tanh(W q + U_k c_k + b))
/// flat and hierarchical are Eq. 7-10 of Libovicky & Helcl (2017), arXiv 1704.06567. All but flat
/// have one score per source.
class SourceMixture final : public torch::nn::Module {
 public:
  /// `sizes`: the size of the query and of each source's positions.
  SourceMixture(Combination kind, int64_t sources, const AttentionOptions& options,
                ScoreSizes sizes);

  [[nodiscard]] bool is_flat() const { return kind_ == Combination::flat; }
  /// Size of the context.
  [[nodiscard]] int64_t context_size() const;

  /// For flat: the memory with projected keys and values and without groups.
  [[nodiscard]] Memory flattened(const Memory& memory) const;

  /// Each position's key as prepared by the score of its source: [B, S, *]. `first` is the score of
  /// the first source.
  [[nodiscard]] torch::Tensor prepare(const AttentionScore& first, const Memory& memory) const;
  /// Each position's energy, computed by the score of its source: [N, T, S].
  [[nodiscard]] torch::Tensor energies(const AttentionScore& first, const torch::Tensor& query,
                                       const PreparedMemory& memory) const;

  struct Mixed {
    torch::Tensor context;  // [N, T, context_size()]
    torch::Tensor shares;   // [N, T, K] that sum to 1: equal for concat, proportional to the mean
                            // gates for gate
  };
  /// contexts [N, T, K, C] of the sources; `present` [N, K] marks the sources that are present.
  [[nodiscard]] Mixed mix(const torch::Tensor& query, const torch::Tensor& contexts,
                          const torch::Tensor& present) const;

 private:
  using Linears = std::vector<std::shared_ptr<Linear>>;
  [[nodiscard]] Linears linears(const std::string& name, int64_t inputs, int64_t outputs,
                                bool bias);
  [[nodiscard]] Mixed mix_by_gates(const torch::Tensor& query, const torch::Tensor& contexts,
                                   const torch::Tensor& present) const;
  [[nodiscard]] Mixed mix_by_attention(const torch::Tensor& query, const torch::Tensor& contexts,
                                       const torch::Tensor& present) const;

  Combination kind_;
  int64_t sources_;
  int64_t memory_size_;
  std::vector<std::shared_ptr<AttentionScore>> more_scores_;  // of sources 2 to K
  Linears query_;                                             // W_k, or W alone
  Linears key_;                                               // U_k
  Linears value_;                                             // V_k
  std::shared_ptr<Linear> energy_;                            // v for hierarchical
};

}  // namespace attend::nn
