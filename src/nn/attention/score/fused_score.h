#pragma once
// How a score takes part in a loop of fused kernels. Within these interfaces a score may
// - project the query with a bias: start from loop.broadcast(bias) and add_linear() to it;
// - read earlier weights: return true from reads_history(). asked.weights.before() are then the
//   weights of the previous step. Before the first step they are asked.start.previous. Keep a sum
//   over all earlier steps in a loop.state() of its own.
// A new way to compare query and key needs a kernel: an alternative of fused::Energy.
// With several heads, all values here are split into one part per head (Loop::split()), and so are
// new values of the loop, so a score need not know about heads.
#include "nn/attention/score/score.h"
#include "nn/fused/attention.h"

namespace attend::nn {

/// Inputs of a score inside a loop, with one query per step.
struct LoopQuery {
  fused::LoopValue query;        // [H]
  fused::LoopValue weights;      // [S] weights; before() may be read with reads_history() only
  const PreparedMemory& memory;  // rows in the order of the loop's Packing
  const AttentionState& start;   // before the first step, for scores with reads_history(); with
                                 // several heads [N, heads, S]
};

/// Output of a score inside a loop: `energy` compares `query` [A] with the prepared keys.
struct LoopScore {
  fused::LoopValue query;
  fused::Energy energy;
  int64_t visible = 0;  // number of source positions that the score can see; 0: all
};

/// Interface of scores that can run in loops of fused kernels.
class FusedScore {
 public:
  virtual ~FusedScore() = default;
  /// Adds to the loop the operations that come before the comparison of query and keys.
  [[nodiscard]] virtual LoopScore unroll(fused::Loop& loop, const LoopQuery& asked) const = 0;
};

/// e_s = k_s . q for the query as it is: the prepared keys contain everything else.
class FusedDotScore : public FusedScore {
 public:
  [[nodiscard]] LoopScore unroll(fused::Loop&, const LoopQuery& asked) const final {
    return {asked.query, fused::DotEnergy{}};
  }
};

}  // namespace attend::nn
