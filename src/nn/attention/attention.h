#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nn/attention/attended.h"
#include "nn/attention/distribution/distribution.h"
#include "nn/attention/groups.h"
#include "nn/attention/memory.h"
#include "nn/attention/options.h"
#include "nn/attention/scope/scope.h"
#include "nn/attention/score/fused_score.h"
#include "nn/attention/score/score.h"

namespace attend::nn {

class Heads;
class SourceMixture;

/// The parts that make up an attention.
struct AttentionParts {
  std::shared_ptr<AttentionScore> score;
  std::shared_ptr<AttentionDistribution> distribution;
  std::shared_ptr<AttentionScope> scope;
};

/// When to project query, keys and values before the score: only with several heads, or always (as
/// in a Transformer).
enum class Projections { several_heads, always };

/// Output that the caller needs. `context_only` skips the weights if that saves computation.
enum class AttentionOutputs { weights, context_only };

/// The vectors that the positions add to output i of an attention at weight 1, for each head, as a
/// function of i: [N, heads, S, C].
using AddedVectors = std::function<torch::Tensor(int64_t)>;

/// The result of an attention inside a loop of fused kernels.
struct LoopAttended {
  fused::LoopValue context;  // [C]
  fused::LoopValue weights;  // [S]; with several heads, one part for each head
};

/// Initial values of an attention inside a loop.
struct LoopStart {
  const AttentionState& state;
  int64_t position = 0;  // target position of the first step
  double dropout = 0.0;
};

/// Attention composed of a score, a distribution and a scope:
///   weights = distribution(scope(score(query, keys))),  context = sum_s weights[s] values[s]
/// (the axes of Galassi, Lippi & Torroni 2021, arXiv 1902.02181, Sec. 3, plus the scope). The
/// weights are computed once, or once per head, or once per feature of the values
/// (multi-dimensional attention, Shen et al. 2018, arXiv 1709.04696: the vector w of a score
/// becomes a matrix).
/// If the scope shows a window narrower than the source, only positions in it are scored and
/// summed.
/// A memory may divide its positions into groups (groups.h). On two levels, a second score compares
/// the query with the groups, and the weight of a position is its weight within its group times the
/// weight of the group. Alternatively the groups are sources, whose contexts SourceMixture
/// combines.
class Attention : public torch::nn::Module {
 public:
  /// Throws ConfigError if the sizes do not suit the score or the number of heads. Groups require a
  /// global scope and one head, except for sources with Combination::flat.
  Attention(const AttentionOptions& options, int64_t query_size, int64_t memory_size,
            Projections projections = Projections::several_heads, const Grouping& grouping = {});
  /// One attention made of `parts`, over a memory of the size that the parts were built for.
  Attention(AttentionParts parts, int64_t memory_size);

  /// Computes what the score needs from the keys, once per sentence.
  [[nodiscard]] PreparedMemory prepare(const Memory& memory) const;

  /// State before the first target position.
  [[nodiscard]] AttentionState start(const PreparedMemory& memory) const;

  /// query [N, T, H]. `position` is the target position of the first query. Several queries at once
  /// (T > 1) are allowed unless needs_steps(). `dropout` is the probability of zeroing a weight
  /// while the module is training. If PreparedMemory::forced_weights is defined, a single query
  /// uses those weights instead of its own, without dropout. Throws std::logic_error if they are
  /// given for several sources with a context each.
  [[nodiscard]] Attended attend(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState& state, int64_t position, double dropout,
                                AttentionOutputs wanted = AttentionOutputs::weights) const;

  /// The state that follows `state` after a query with weights [N, S] or [N, heads, S].
  [[nodiscard]] AttentionState next(const AttentionState& state,
                                    const torch::Tensor& weights) const;

  /// The vector that each position adds to the output of the attention at weight 1, for each head:
  /// W_h^O W_h^V x[s], [N, heads, S, C]. Throws std::logic_error if nothing is projected.
  [[nodiscard]] torch::Tensor added(const PreparedMemory& memory) const;

  /// The norms of what each position adds to the output of the attention, for weights [N, heads, T,
  /// S]: || sum_h weights[h] W_h^O W_h^V x[s] || and, for each head, || weights[h] W_h^O W_h^V x[s]
  /// ||, together [N, 1 + heads, T, S] (Kobayashi et al. 2020, arXiv 2004.10102, Eq. 5 and 6).
  /// Throws std::logic_error if nothing is projected.
  [[nodiscard]] torch::Tensor contributions(const torch::Tensor& weights,
                                            const PreparedMemory& memory) const;

  /// View::offsets for queries [N, T, H] over as many positions: [T, T, C]; undefined if the scope
  /// has none. Requires: a scope that reads no keys.
  [[nodiscard]] torch::Tensor value_offsets(const torch::Tensor& queries) const;

  /// Names the config settings that have no fused form. If there are none, unroll() may be called.
  [[nodiscard]] std::vector<std::string> plain_reasons() const;

  /// Adds attend() for one query per step, `query` [H], to a loop that begins with `start`. Reads
  /// the lengths of the memory, not its mask.
  [[nodiscard]] LoopAttended unroll(fused::Loop& loop, fused::LoopValue query,
                                    const PreparedMemory& memory, const LoopStart& start) const;

  /// True if the energy of a source position depends on its key and the query only: not on its
  /// index, its neighbours or earlier weights.
  [[nodiscard]] bool is_pointwise() const;

  /// True if a query's result depends on the results before it, so that T must be 1.
  [[nodiscard]] bool needs_steps() const;

  /// attend() for any number of queries, one after another if needs_steps().
  [[nodiscard]] Attended attend_in_order(const torch::Tensor& queries, const PreparedMemory& memory,
                                         const AttentionState& state, int64_t position,
                                         double dropout,
                                         AttentionOutputs wanted = AttentionOutputs::weights) const;

  /// Names the config settings that differ from dot products, softmax and a WholeView, the
  /// combination that the kernels support for any number of heads. Empty if none does.
  [[nodiscard]] std::vector<std::string> whole_reasons() const;
  [[nodiscard]] bool is_dot_softmax() const;
  /// True if attend_whole() supports tensors with the type and device of `like`.
  [[nodiscard]] bool has_whole_heads(const torch::Tensor& like) const;
  /// True if attend_whole() computes the same as attend() in training for queries like `query`.
  [[nodiscard]] bool has_whole_form(const torch::Tensor& query) const;
  /// prepare() for keys [N, h, S, D] of several heads, with any strides.
  [[nodiscard]] torch::Tensor prepared_heads(const torch::Tensor& keys) const;

  /// prepare() for one position per row: keys [N, C], C / heads features for each head -> [N, C].
  [[nodiscard]] torch::Tensor prepared_rows(const torch::Tensor& keys, int64_t heads) const;

  /// Inputs of an attention of whole sequences on all heads.
  struct Whole {
    torch::Tensor queries;  // [N, h, T, D]; this and the next two with any strides
    torch::Tensor keys;     // [N, h, S, D], prepared
    torch::Tensor values;   // [N, h, S, C]
    torch::Tensor lengths;  // [N] or [1]
    int64_t position = 0;   // position of the first query
  };
  /// See WholeView::bias. Requires: is_dot_softmax().
  [[nodiscard]] torch::Tensor distance_bias() const;
  /// Computes all heads at once with kernels: a context [N, h, T, C] and, if wanted, the weights
  /// [N, h, T, S] in `heads`. Requires: has_whole_heads().
  [[nodiscard]] Attended attend_whole(const Whole& whole, double dropout,
                                      AttentionOutputs wanted) const;

  /// Number of heads; 1 without heads.
  [[nodiscard]] int64_t head_count() const;

  /// Size of the context.
  [[nodiscard]] int64_t context_size() const;

 private:
  /// Attention with one row per sentence, or per sentence and head.
  [[nodiscard]] Attended attend_rows(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state, int64_t position, double dropout,
                                     AttentionOutputs wanted) const;
  /// attend() with several heads, computed by attend_whole().
  [[nodiscard]] Attended attend_heads(const torch::Tensor& query, const PreparedMemory& memory,
                                      int64_t position, double dropout,
                                      AttentionOutputs wanted) const;
  /// attend() with the forced weights of `memory`.
  [[nodiscard]] Attended attend_forced(const PreparedMemory& memory,
                                       const AttentionState& state) const;
  /// True if attend_step() computes the same as attend() for a single query in search.
  [[nodiscard]] bool has_step_form(const torch::Tensor& query) const;
  [[nodiscard]] Attended attend_step(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state, int64_t position,
                                     AttentionOutputs wanted) const;
  /// Attention on two levels: over groups and within each group.
  [[nodiscard]] Attended attend_groups(const torch::Tensor& query, const PreparedMemory& memory,
                                       const AttentionState& state, double dropout) const;
  /// Attention to each source separately.
  [[nodiscard]] Attended attend_sources(const torch::Tensor& query, const PreparedMemory& memory,
                                        const AttentionState& state, double dropout) const;
  /// unroll() without projections; weights and context [C / heads] have one part per head.
  [[nodiscard]] LoopAttended unroll_parts(fused::Loop& loop, fused::LoopValue query,
                                          const PreparedMemory& memory,
                                          const LoopStart& start) const;

  void register_parts(AttentionParts parts);

  int64_t memory_size_;
  std::shared_ptr<Heads> heads_;  // null if nothing is projected
  std::shared_ptr<AttentionScore> score_;
  std::shared_ptr<AttentionScore> group_score_;  // null unless on two levels
  std::shared_ptr<SourceMixture> sources_;       // null if there is one source
  std::shared_ptr<AttentionDistribution> distribution_;
  std::shared_ptr<AttentionScope> scope_;
};

}  // namespace attend::nn
