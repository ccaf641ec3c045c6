#pragma once
// The random numbers of training (dropout, omitted words, noise) depend on the update and on the
// line they are drawn for, but not on the line's batch. So several processes, each with some lines
// of an update, draw the same numbers as one process would. Each draw takes the next seed of one
// sequence that all lines share; its numbers differ by line, position and column
// (kernels/layer/dropout_mask.h). For this, the caller must name the lines of a batch (LinesScope),
// and the number of seeds taken must not depend on the lengths of lines.
#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/layer/dropout_mask.h"
#include "nn/thread_context.h"

namespace attend::nn {

/// The seed, first position and lines of a draw.
struct Draw {
  uint64_t seed = 0;
  int64_t position = 0;  // position of the first step
  Lines lines = {};

  /// Takes the next seed, with the lines and the step of the thread's context.
  [[nodiscard]] static Draw next();
  /// Finds the line, part and position of each row of a tensor that holds the rows of the N lines,
  /// one line after another: [N * parts, size] or [N * parts, positions, size]. More dimensions
  /// before `positions` count as parts. Throws std::logic_error unless all lines have equally many
  /// rows.
  [[nodiscard]] kernels::LineRows rows_of(torch::IntArrayRef sizes) const;
};

/// Makes this thread take its seeds from the sequence that `seed` starts. Outside of such a scope
/// seeds come from LibTorch's default generator of the CPU.
class SeedScope {
 public:
  explicit SeedScope(uint64_t seed) : scope_(&ThreadContext::seeds, SeedSequence{seed}) {}

 private:
  ContextScope<std::optional<SeedSequence>> scope_;
};

/// The next seed of this thread.
[[nodiscard]] uint64_t next_seed();

/// Sets the lines that the rows computed in this thread belong to.
class LinesScope {
 public:
  /// keys [N] int64 on the CPU: the name of each line.
  explicit LinesScope(const torch::Tensor& keys);
  /// Keeps the current lines, or numbers `count` lines if none are set. Use before computing
  /// several rows of each line.
  explicit LinesScope(int64_t count);

  /// Keys for a batch whose row m is a copy of current line rows[m]; rows [M] int64 on the CPU. The
  /// first copy of a line keeps its name; each further copy gets a name of its own. Throws
  /// std::logic_error for a row that the current lines do not have.
  [[nodiscard]] static torch::Tensor repeated(const torch::Tensor& rows);
  /// Keys that give the current lines, or `count` lines if none are set, new names, different from
  /// those of repeated(). Use before repeating lines inside another repetition.
  [[nodiscard]] static torch::Tensor renamed(int64_t count);

 private:
  ContextScope<Lines> scope_;
};

/// Draws step by step, with the same results as one draw for all steps: each step takes the seeds
/// of the first step but has its own position. Inside another StepsScope it has no effect.
class StepsScope {
 public:
  StepsScope();
  ~StepsScope();
  StepsScope(const StepsScope&) = delete;
  StepsScope& operator=(const StepsScope&) = delete;

  /// Starts the step at `position` >= 0.
  void begin(int64_t position);

 private:
  bool is_inner_;
};

/// The current state of this thread's draws, for DrawAgainScope.
class DrawPoint {
 public:
  /// Includes the generator of `device`. Throws std::logic_error inside a StepsScope, where the
  /// seeds of a step depend on the steps before it.
  [[nodiscard]] static DrawPoint here(const torch::Device& device);

 private:
  friend class DrawAgainScope;

  Lines lines_;
  std::optional<SeedSequence> seeds_;
  std::vector<std::pair<at::Generator, torch::Tensor>>
      generators_;  // LibTorch's generators and their states
};

/// Repeats the draws that followed `point`, with its lines. After the scope, draws continue as if
/// there had been no scope.
class DrawAgainScope {
 public:
  explicit DrawAgainScope(const DrawPoint& point);
  ~DrawAgainScope();
  DrawAgainScope(const DrawAgainScope&) = delete;
  DrawAgainScope& operator=(const DrawAgainScope&) = delete;

 private:
  ContextScope<Lines> lines_;
  ContextScope<std::optional<SeedSequence>> seeds_;
  std::vector<std::pair<at::Generator, torch::Tensor>> generators_;  // and states before the scope
};

/// Draws uniform numbers in (0, 1) for rows as in Draw::rows_of(): float64 on the CPU.
[[nodiscard]] torch::Tensor draw_uniform(torch::IntArrayRef sizes);
/// columns [N * parts, size] or [N * parts, positions, size] int64: column numbers below 2^32 in
/// any order. Draws a uniform number for each; equal columns of one row get equal numbers.
[[nodiscard]] torch::Tensor draw_uniform_at(const torch::Tensor& columns);

}  // namespace attend::nn
