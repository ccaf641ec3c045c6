#pragma once
#include <cstdint>
#include <string>

#include "nn/attention/memory.h"
#include "nn/attention/names.h"

namespace attend::nn {

/// How an attention uses the groups of its memory.
struct Grouping {
  int64_t size = 0;     // D of the group keys for two levels; 0: one level
  int64_t sources = 1;  // above 1: the groups are sources (source_mixture.h)
  Combination combination = Combination::hierarchical;  // how sources are combined
};

/// The groups that divide a memory's positions, for example words into sentences, for an attention
/// on two levels. A position is in at most one group; a position in none gets no weight.
class Groups {
 public:
  /// Requires: memory.columns.
  explicit Groups(const Memory& memory);

  /// [N, G] bool: true if the group has a position that may be attended to.
  [[nodiscard]] const torch::Tensor& present() const { return present_; }
  /// [N, S] int64: the group of each position, or -1.
  [[nodiscard]] torch::Tensor owner() const;
  /// [N, 1, G, L] bool: true if entry l of group g is a position that may be attended to.
  [[nodiscard]] torch::Tensor seen() const { return seen_.unsqueeze(1); }
  /// Arranges x [N, T, S] by group: [N, T, G, L]. Values where seen() is false are meaningless.
  [[nodiscard]] torch::Tensor gathered(const torch::Tensor& x) const;
  /// Arranges x [N, T, G, L] by position: [N, T, S]. Zero for positions in no group.
  [[nodiscard]] torch::Tensor scattered(const torch::Tensor& x) const;

 private:
  torch::Tensor columns_;  // [N, G, L]
  int64_t positions_;      // S
  torch::Tensor seen_;     // [N, G, L]
  torch::Tensor present_;
};

/// Returns a memory whose positions are the groups, with memory.group_keys as keys and values.
[[nodiscard]] Memory groups_as_memory(const Memory& memory);

}  // namespace attend::nn
