#pragma once
// What is drawn in training (dropout, words left out, noise) belongs to the update and the line it
// is drawn for, and not to the batch in which the line happens to be computed: so that any number
// of processes, each with some of an update's lines, draw what one alone would. A draw has a seed,
// the next one of a sequence, which is one for all lines, and is then told apart by line, position
// and column (kernels/layer/dropout_mask.h). That needs who computes a
// batch to say which lines it has, and seeds to be taken as often whatever the lines' lengths are.
#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/layer/dropout_mask.h"

namespace attend::nn {

/// The lines that a computation has rows of.
struct Lines {
  torch::Tensor names;  // [N] int64: what names each; undefined: its number does
  int64_t count = 0;    // N; 0: nobody has said, and each row is a line
};

/// Where a draw stands.
struct Draw {
  uint64_t seed = 0;
  int64_t position = 0;  // of the first step
  Lines lines = {};

  /// With the next seed, for the lines and the step of the scopes that there are.
  [[nodiscard]] static Draw next();
  /// For a tensor [..., size] of rows of the N lines, one after the other: [N * parts, size], or
  /// [N * parts, positions, size] with any dimensions of parts between. Throws std::logic_error
  /// where they are not whole lines.
  [[nodiscard]] kernels::LineRows rows_of(torch::IntArrayRef sizes) const;
};

/// While it lives, this thread takes its seeds from this sequence; otherwise from LibTorch's
/// default generator of the CPU.
class SeedScope {
 public:
  explicit SeedScope(uint64_t seed);
  ~SeedScope();
  SeedScope(const SeedScope&) = delete;
  SeedScope& operator=(const SeedScope&) = delete;

 private:
  friend uint64_t next_seed();
  friend class DrawPoint;
  friend class DrawAgainScope;

  uint64_t seed_;
  uint64_t used_ = 0;
  SeedScope* before_;
};

/// The next one.
[[nodiscard]] uint64_t next_seed();

/// While it lives, what this thread computes has the rows of these lines.
class LinesScope {
 public:
  /// keys [N] int64: what names each line.
  explicit LinesScope(torch::Tensor keys);
  /// Of the lines there are; where nobody has said, of `count` that name themselves. For who is
  /// about to make several rows of each.
  explicit LinesScope(int64_t count);
  ~LinesScope();
  LinesScope(const LinesScope&) = delete;
  LinesScope& operator=(const LinesScope&) = delete;

  /// Of a batch that holds row rows[m] of the one around it as its row m, [M] int64 on the CPU.
  /// Where one comes again and again, each time it is a line of its own.
  /// Throws std::logic_error for a row that the batch around has not.
  [[nodiscard]] static torch::Tensor repeated(const torch::Tensor& rows);
  /// The lines there are under names that nothing else gives, for who repeats them inside another
  /// repetition; `count` where nobody has said.
  [[nodiscard]] static torch::Tensor renamed(int64_t count);

 private:
  Lines before_;
};

/// While it lives, what is drawn is drawn step by step: every step takes the seeds of the first
/// one, and is told apart by its position, as it is where all steps are drawn for at once. A scope
/// inside another one leaves steps to that.
class StepsScope {
 public:
  StepsScope();
  ~StepsScope();
  StepsScope(const StepsScope&) = delete;
  StepsScope& operator=(const StepsScope&) = delete;

  /// Requires: `position` >= 0.
  void begin(int64_t position);

 private:
  friend struct Draw;
  uint64_t seed_of_step();

  bool is_inner_;
  int64_t position_ = 0;
  std::size_t used_ = 0;
  std::vector<uint64_t> seeds_;
};

/// Where a thread stands with its draws, for who computes something again.
class DrawPoint {
 public:
  /// For what is computed on `device`. Throws std::logic_error inside a StepsScope, where the seeds
  /// of a step depend on those of others.
  [[nodiscard]] static DrawPoint here(const torch::Device& device);

 private:
  friend class DrawAgainScope;

  Lines lines_;
  std::optional<std::pair<uint64_t, uint64_t>> sequence_;  // its seed, and how many are taken
  std::vector<std::pair<at::Generator, torch::Tensor>> generators_;  // of LibTorch, their states
};

/// While it lives, this thread draws what it drew from `point` on, for the lines of then; after it
/// it goes on where it stood.
class DrawAgainScope {
 public:
  explicit DrawAgainScope(const DrawPoint& point);
  ~DrawAgainScope();
  DrawAgainScope(const DrawAgainScope&) = delete;
  DrawAgainScope& operator=(const DrawAgainScope&) = delete;

 private:
  Lines outer_lines_;
  SeedScope* outer_seeds_;
  std::optional<SeedScope> seeds_;
  std::vector<std::pair<at::Generator, torch::Tensor>> generators_;  // as they stood
};

/// Uniform numbers in (0, 1) for rows of lines, as Draw::rows_of() says: float64 on the CPU.
[[nodiscard]] torch::Tensor draw_uniform(torch::IntArrayRef sizes);
/// The same for columns [N * parts, size] or [N * parts, positions, size] int64, which need not be
/// 0, 1, 2, ...: the same column of the same line gets the same number. Each below 2^32.
[[nodiscard]] torch::Tensor draw_uniform_at(const torch::Tensor& columns);

}  // namespace attend::nn
