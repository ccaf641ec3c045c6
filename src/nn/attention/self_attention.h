#pragma once
#include "nn/attention/attention.h"
#include "nn/attention/heads.h"
#include "nn/attention/key_value_cache.h"
#include "nn/fused/step_attention.h"
#include "nn/positions.h"

namespace attend::nn {

/// How the positions of a sequence look at one another.
struct SelfAttentionOptions {
  AttentionOptions attention;                   // of each head; `heads` says how many there are
  PositionKind positions = PositionKind::none;  // none, rotary or relative
  bool causal = false;                          // no position sees those behind it
};

/// Multi-head self-attention with any score, distribution and scope of the family:
///   y_s = W^O [head_1; ...; head_h] of query x_s over keys and values x
/// (Vaswani et al. 2017, arXiv 1706.03762, Sec. 3.2.2-3.2.3). Queries, keys and values are
/// projected with one head, too. Positions are told by turning queries and keys (Rotation) or by
/// representations of distances (RelativeScope). Answers have the weights of each head, even of
/// one, and not their mean.
class SelfAttention : public torch::nn::Module {
 public:
  /// For vectors of `size`. Throws ConfigError if the heads cannot share it evenly.
  SelfAttention(const SelfAttentionOptions& options, int64_t size);

  /// The whole of sequences x [N, S, C] with `mask` [N, S] and `lengths` [N] int64; what comes out
  /// on padding means nothing. The answer has no state. Requires: not causal.
  [[nodiscard]] Attended attend(const torch::Tensor& x, const torch::Tensor& mask,
                                const torch::Tensor& lengths, double dropout,
                                Wanted wanted = Wanted::weights) const;

  /// The settings because of which it is not computed by fused kernels as a whole, as configs name
  /// them in the section of its layers; empty: it is, where is_fusible().
  [[nodiscard]] std::vector<std::string> plain_reasons() const;

  struct Extended {
    Attended attended;
    KeyValueCache cache;
  };
  /// Positions x [N, T, C] that follow those in `cache`: none for a whole sequence, and one at a
  /// time in search. Requires: causal, and a score that prepares each key by itself and keeps no
  /// history.
  [[nodiscard]] Extended extend(const torch::Tensor& x, const KeyValueCache& cache, double dropout,
                                Wanted wanted = Wanted::weights) const;

  /// Whether extend_history() may take the place of extend() for a position x [N, 1, C].
  [[nodiscard]] bool has_step_form(const torch::Tensor& x) const;

  struct ExtendedHistory {
    torch::Tensor context;  // [N, 1, C]
    torch::Tensor weights;  // [N, heads, 1, t]; undefined unless wanted
    fused::StepHistory history;
  };
  /// One position x [N, 1, C] behind those of `history`. Row n of position s descends from row
  /// ancestors[n, s] of then; the last column, that of x, is n.
  [[nodiscard]] ExtendedHistory extend_history(const torch::Tensor& x,
                                               const fused::StepHistory& history,
                                               const torch::Tensor& ancestors, Wanted wanted) const;
  /// The same as a cache of its own for each row.
  [[nodiscard]] KeyValueCache cache_of(const fused::StepHistory& history,
                                       const torch::Tensor& ancestors) const;

 private:
  [[nodiscard]] bool has_whole_form(const torch::Tensor& x) const;
  /// Positions x behind those of `cache`, of which all together `lengths` are real, by the
  /// attention's whole form.
  [[nodiscard]] Extended answer_whole(const torch::Tensor& x, const torch::Tensor& lengths,
                                      const KeyValueCache& cache, double dropout,
                                      Wanted wanted) const;
  /// `memory`: rows for each sequence and head, of which queries [N * h, T, C / h] begin at
  /// `position`.
  [[nodiscard]] Attended answer(const torch::Tensor& queries, const PreparedMemory& memory,
                                int64_t position, double dropout, Wanted wanted) const;

  bool rotary_;
  bool windowed_;  // whether the scope wants a mask for each row
  std::shared_ptr<Heads> heads_;
  std::shared_ptr<Attention> attention_;
};

}  // namespace attend::nn
