#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

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

/// What an attention is put together from.
struct AttentionParts {
  std::shared_ptr<AttentionScore> score;
  std::shared_ptr<AttentionDistribution> distribution;
  std::shared_ptr<AttentionScope> scope;
};

/// Which attentions project query, keys and values before they compare them: those on several
/// heads, or all, as inside a Transformer.
enum class Projections { several_heads, always };

/// Whether who asks an attention wants more than the context. Where it costs nothing there are
/// weights anyway.
enum class Wanted { weights, context_alone };

/// An Attended inside a loop of fused kernels.
struct LoopAttended {
  fused::LoopValue context;  // [C]
  fused::LoopValue weights;  // [S], with several heads so many parts of it
};

/// With what an attention inside a loop begins.
struct LoopStart {
  const AttentionState& state;
  int64_t position = 0;  // target position of the first step
  double dropout = 0.0;
};

/// A score, a distribution and a scope put together:
///   weights = distribution(scope(score(query, keys))),  context = sum_s weights[s] values[s]
/// (the axes of Galassi, Lippi & Torroni 2021, arXiv 1902.02181, Sec. 3, with our scope), once, or
/// on several heads, or with a weight for each feature of the values (multi-dimensional attention,
/// Shen et al. 2018, arXiv 1709.04696: the vector w of a score becomes a matrix).
/// Where a scope shows a window narrower than the source, only the window is scored and mixed.
/// Of a memory whose positions form groups (groups.h), groups are compared with the query by a
/// score of their own, and a position's weight is its weight in its group times that of the group;
/// or the groups are sources, whose contexts SourceMixture joins.
class Attention : public torch::nn::Module {
 public:
  /// Throws ConfigError where the sizes do not suit the score or the number of heads.
  /// With groups the scope is global and there is one head, but for flat sources.
  Attention(const AttentionOptions& options, int64_t query_size, int64_t memory_size,
            Projections projections = Projections::several_heads, const Grouping& grouping = {});
  /// One attention of `parts` over a memory of their size.
  Attention(AttentionParts parts, int64_t memory_size);

  /// Computes once per sentence whatever the score needs of the keys.
  [[nodiscard]] PreparedMemory prepare(const Memory& memory) const;

  /// State before the first target position.
  [[nodiscard]] AttentionState start(const PreparedMemory& memory) const;

  /// query [N, T, H]. `position` is the target position of the first query. Several queries at once
  /// (T > 1) are allowed unless needs_steps(). `dropout` is the probability of zeroing a weight
  /// while the module is training.
  [[nodiscard]] Attended attend(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState& state, int64_t position, double dropout,
                                Wanted wanted = Wanted::weights) const;

  /// State after `state` and one query's weights [N, S], with several heads [N, heads, S].
  [[nodiscard]] AttentionState next(const AttentionState& state,
                                    const torch::Tensor& weights) const;

  /// The settings because of which it has no fused form, as configs name them; empty: it has one,
  /// and unroll() may be called.
  [[nodiscard]] std::vector<std::string> plain_reasons() const;

  /// Adds attend() of one query a step, `query` [H], to a loop that begins with `start`. Reads the
  /// memory's lengths, not its mask.
  [[nodiscard]] LoopAttended unroll(fused::Loop& loop, fused::LoopValue query,
                                    const PreparedMemory& memory, const LoopStart& start) const;

  /// Whether a position's energy is the same in a memory of that position alone: neither its place
  /// nor its neighbours nor what was attended to before matter.
  [[nodiscard]] bool is_pointwise() const;

  /// Whether a query's answer depends on the answers before it, so that T must be 1.
  [[nodiscard]] bool needs_steps() const;

  /// attend() of any number of queries, one after the other where needs_steps().
  [[nodiscard]] Attended attend_in_order(const torch::Tensor& queries, const PreparedMemory& memory,
                                         const AttentionState& state, int64_t position,
                                         double dropout, Wanted wanted = Wanted::weights) const;

  /// The settings because of which it is not one of dot products, softmax and a WholeView, which
  /// kernels know on any number of heads; empty: it is.
  [[nodiscard]] std::vector<std::string> whole_reasons() const;
  [[nodiscard]] bool is_dot_softmax() const;
  /// Whether attend_whole() computes what attend() does in training for queries like this.
  [[nodiscard]] bool has_whole_form(const torch::Tensor& query) const;
  /// What prepare() makes of keys [N, h, S, D] of several heads, whatever their strides.
  [[nodiscard]] torch::Tensor prepared_heads(const torch::Tensor& keys) const;

  /// The same of one position a row, keys [N, C] of which C / heads are each head's -> [N, C].
  [[nodiscard]] torch::Tensor prepared_rows(const torch::Tensor& keys, int64_t heads) const;

  /// What queries of a whole sequence look at on all heads.
  struct Whole {
    torch::Tensor queries;  // [N, h, T, D], of any strides like the others
    torch::Tensor keys;     // [N, h, S, D], prepared
    torch::Tensor values;   // [N, h, S, C]
    torch::Tensor lengths;  // [N] or [1]
    int64_t position = 0;   // of the first query
  };
  /// WholeView::bias. Requires: is_dot_softmax().
  [[nodiscard]] torch::Tensor distance_bias() const;
  /// All heads at once by kernels: a context [N, h, T, C], and in `heads` the weights [N, h, T, S]
  /// where they are wanted. Requires: has_whole_form().
  [[nodiscard]] Attended attend_whole(const Whole& whole, double dropout, Wanted wanted) const;

  /// 1 unless there are several.
  [[nodiscard]] int64_t head_count() const;

  /// Size of the context.
  [[nodiscard]] int64_t context_size() const;

 private:
  /// One attention for each row: heads are rows here.
  [[nodiscard]] Attended attend_rows(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state, int64_t position, double dropout,
                                     Wanted wanted) const;
  /// attend() of heads that have a whole form.
  [[nodiscard]] Attended attend_heads(const torch::Tensor& query, const PreparedMemory& memory,
                                      int64_t position, double dropout, Wanted wanted) const;
  /// Whether attend_step() computes what attend() does for one query a row in search.
  [[nodiscard]] bool has_step_form(const torch::Tensor& query) const;
  [[nodiscard]] Attended attend_step(const torch::Tensor& query, const PreparedMemory& memory,
                                     const AttentionState& state, int64_t position,
                                     Wanted wanted) const;
  /// The attention on two levels, to groups and inside them.
  [[nodiscard]] Attended attend_groups(const torch::Tensor& query, const PreparedMemory& memory,
                                       const AttentionState& state, double dropout) const;
  /// That to sources, each by itself.
  [[nodiscard]] Attended attend_sources(const torch::Tensor& query, const PreparedMemory& memory,
                                        const AttentionState& state, double dropout) const;
  /// Weights of one query a step and the context [C / heads] of each part. `query`: in parts.
  [[nodiscard]] LoopAttended unroll_parts(fused::Loop& loop, fused::LoopValue query,
                                          const PreparedMemory& memory,
                                          const LoopStart& start) const;

  void adopt(AttentionParts parts);

  int64_t memory_size_;
  std::shared_ptr<Heads> heads_;  // null where nothing is projected
  std::shared_ptr<AttentionScore> score_;
  std::shared_ptr<AttentionScore> group_score_;  // null: not on two levels
  std::shared_ptr<SourceMixture> sources_;       // null: one source
  std::shared_ptr<AttentionDistribution> distribution_;
  std::shared_ptr<AttentionScope> scope_;
};

}  // namespace attend::nn
