#pragma once
// How a score takes part in a loop of fused kernels. What a score may do there, without a change of
// these interfaces:
// - project the query with a bias: start from loop.broadcast(bias) and add_linear() to it;
// - read what was attended to before: say so with reads_history(), and asked.weights.before() is
//   what the step before gave, asked.start.previous before the first. A sum over all steps before
//   is a loop.state() of the score's own.
// A new way to compare query and key needs a kernel: an alternative of fused::Energy.
// With several heads all values here are split into as many parts (Loop::split()), as those that
// the loop makes meanwhile, so that a score need not know of them.
#include "nn/attention/score/score.h"
#include "nn/fused/attention.h"

namespace attend::nn {

/// What a score is asked inside a loop, one query a step.
struct LoopQuestion {
  fused::LoopValue query;    // [H]
  fused::LoopValue weights;  // [S] this attention's answer; weights.before(): reads_history() only
  const PreparedMemory& memory;  // rows in the order of the loop's Packing
  const AttentionState& start;   // before the first step; of scores that read_history() alone;
                                 // with several heads [N, heads, S]
};

/// The answer: energies are those of `energy` between this query [A] and the prepared keys.
struct LoopScore {
  fused::LoopValue query;
  fused::Energy energy;
  int64_t visible = 0;  // source positions that it can see at all; 0: all
};

/// The part of a score that loops of fused kernels use.
class FusedScore {
 public:
  virtual ~FusedScore() = default;
  /// Adds to a loop whatever there is to do before the query meets the keys.
  [[nodiscard]] virtual LoopScore unroll(fused::Loop& loop, const LoopQuestion& asked) const = 0;
};

/// e_s = k_s . q of the query as it is: whatever else there is went into the prepared keys.
class FusedDotScore : public FusedScore {
 public:
  [[nodiscard]] LoopScore unroll(fused::Loop&, const LoopQuestion& asked) const final {
    return {asked.query, fused::DotEnergy{}};
  }
};

}  // namespace attend::nn
