#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nn/attention/groups.h"
#include "nn/attention/registry.h"
#include "nn/linear.h"

namespace attend::nn {

/// How the attention to several sources becomes one context. The positions of a memory's sources
/// stand one after the other, and its groups are the sources, K of them (groups.h). c_k is the
/// context of source k, q the query, and U_k, V_k are matrices of source k.
///   flat          one distribution over all positions: keys U_k h, values V_k h
///   concat        [c_1; ...; c_K] (Zoph & Knight 2016, arXiv 1601.00710, with our attention)
///   gate          sum of g_k * V_k c_k,  g_k = sigma(W_k q + U_k c_k + b_k)
///   hierarchical  sum of b_k V_k c_k,  b = softmax_k(v . tanh(W q + U_k c_k + b))
/// flat and hierarchical are Eq. 7-10 of Libovicky & Helcl (2017), arXiv 1704.06567; all but flat
/// have a score for each source.
class SourceMixture final : public torch::nn::Module {
 public:
  /// `sizes`: of the query and of every source's positions.
  SourceMixture(Combination kind, int64_t sources, const AttentionOptions& options,
                ScoreSizes sizes);

  [[nodiscard]] bool is_flat() const { return kind_ == Combination::flat; }
  /// Size of the context.
  [[nodiscard]] int64_t context_size() const;

  /// Of flat: the memory with its projections and without groups.
  [[nodiscard]] Memory flattened(const Memory& memory) const;

  /// What the scores need of the keys, each of those of its source: [B, S, *]. `first` is the score
  /// of the first source.
  [[nodiscard]] torch::Tensor prepare(const AttentionScore& first, const Memory& memory) const;
  /// [N, T, S]: each position's energy by the score of its source.
  [[nodiscard]] torch::Tensor energies(const AttentionScore& first, const torch::Tensor& query,
                                       const PreparedMemory& memory) const;

  struct Mixed {
    torch::Tensor context;  // [N, T, context_size()]
    torch::Tensor shares;  // [N, T, K] that sum to 1: of concat equal ones, of gate as the means of
                           // the gates
  };
  /// contexts [N, T, K, C] of the sources, of which some may not be there [N, K].
  [[nodiscard]] Mixed mix(const torch::Tensor& query, const torch::Tensor& contexts,
                          const torch::Tensor& there) const;

 private:
  using Linears = std::vector<std::shared_ptr<Linear>>;
  [[nodiscard]] Linears linears(const std::string& name, int64_t inputs, int64_t outputs,
                                bool bias);
  [[nodiscard]] Mixed mix_by_gates(const torch::Tensor& query, const torch::Tensor& contexts,
                                   const torch::Tensor& there) const;
  [[nodiscard]] Mixed mix_by_attention(const torch::Tensor& query, const torch::Tensor& contexts,
                                       const torch::Tensor& there) const;

  Combination kind_;
  int64_t sources_;
  int64_t memory_size_;
  std::vector<std::shared_ptr<AttentionScore>> more_scores_;  // of the second source and on
  Linears query_;                                             // W_k, or W alone
  Linears key_;                                               // U_k
  Linears value_;                                             // V_k
  std::shared_ptr<Linear> energy_;                            // v of hierarchical
};

}  // namespace attend::nn
