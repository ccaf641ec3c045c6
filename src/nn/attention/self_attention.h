#pragma once
#include "nn/attention/attention.h"
#include "nn/attention/heads.h"
#include "nn/attention/key_value_cache.h"
#include "nn/fused/step_attention.h"
#include "nn/positions.h"

namespace attend::nn {

/// How the positions of a sequence attend to one another.
struct SelfAttentionOptions {
  AttentionOptions attention;                   // of each head; `heads` is the number of heads
  PositionKind positions = PositionKind::none;  // none, rotary or relative
  bool causal = false;                          // a position sees no later ones
};

/// Multi-head self-attention with any score, distribution and scope of Attention:
///   y_s = W^O [head_1; ...; head_h] of query x_s over keys and values x
/// (Vaswani et al. 2017, arXiv 1706.03762, Sec. 3.2.2-3.2.3). Queries, keys and values are
/// projected even with one head. Positions enter by rotating queries and keys (Rotation) or by
/// representations of distances (RelativeScope). Results hold the weights of each head, even of a
/// single one, and not their mean.
class SelfAttention : public torch::nn::Module {
 public:
  /// For vectors of `size` features. Throws ConfigError unless the number of heads divides `size`.
  SelfAttention(const SelfAttentionOptions& options, int64_t size);

  /// Attends within whole sequences x [N, S, C]; `mask` [N, S], `lengths` [N] int64. Outputs on
  /// padding are meaningless. The result has no state. Requires: not causal.
  [[nodiscard]] Attended attend(const torch::Tensor& x, const torch::Tensor& mask,
                                const torch::Tensor& lengths, double dropout,
                                AttentionOutputs wanted = AttentionOutputs::weights) const;

  /// The vectors that the positions of whole sequences x [N, S, C] add to the outputs for x.
  [[nodiscard]] AddedVectors added(const torch::Tensor& x) const;

  /// Names the config settings, in the section of its layers, that prevent fused kernels for the
  /// whole attention. If there are none, it is fused for tensors that are is_fusible().
  [[nodiscard]] std::vector<std::string> plain_reasons() const;

  struct Extended {
    Attended attended;
    KeyValueCache cache;
  };
  /// Processes positions x [N, T, C] that follow those in `cache`: a whole sequence after an empty
  /// cache, or one position at a time in search. Requires: causal, and a score that prepares each
  /// key independently and reads no history.
  [[nodiscard]] Extended extend(const torch::Tensor& x, const KeyValueCache& cache, double dropout,
                                AttentionOutputs wanted = AttentionOutputs::weights) const;

  /// True if extend_history() may replace extend() for a position x [N, 1, C].
  [[nodiscard]] bool has_step_form(const torch::Tensor& x) const;

  struct ExtendedHistory {
    torch::Tensor context;  // [N, 1, C]
    torch::Tensor weights;  // [N, heads, 1, t]; undefined unless wanted
    fused::StepHistory history;
  };
  /// Processes one position x [N, 1, C] after those of `history`. Row n descends from row
  /// ancestors[n, s] of step s. The last column of `ancestors` is for x and holds n.
  [[nodiscard]] ExtendedHistory extend_history(const torch::Tensor& x,
                                               const fused::StepHistory& history,
                                               const torch::Tensor& ancestors,
                                               AttentionOutputs wanted) const;
  /// The positions of `history` as a cache, with a copy for each row.
  [[nodiscard]] KeyValueCache cache_of(const fused::StepHistory& history,
                                       const torch::Tensor& ancestors) const;

 private:
  [[nodiscard]] bool has_whole_form(const torch::Tensor& x) const;
  /// Processes positions x after those of `cache` with Attention::attend_whole(). `lengths` count
  /// the real positions of both together.
  [[nodiscard]] Extended attend_whole(const torch::Tensor& x, const torch::Tensor& lengths,
                                      const KeyValueCache& cache, double dropout,
                                      AttentionOutputs wanted) const;
  /// `memory` has a row per sequence and head; queries [N * h, T, C / h] begin at `position`.
  [[nodiscard]] Attended attend_rows(const torch::Tensor& queries, const PreparedMemory& memory,
                                     int64_t position, double dropout,
                                     AttentionOutputs wanted) const;

  bool rotary_;
  bool relative_;
  bool windowed_;  // true if the scope needs a mask for each row
  std::shared_ptr<Heads> heads_;
  std::shared_ptr<Attention> attention_;
};

}  // namespace attend::nn
