#pragma once
#include <cstdint>
#include <string>

#include "nn/attention/memory.h"

namespace attend::nn {

/// How an attention goes by the groups of its memory.
struct Grouping {
  int64_t size = 0;         // on two levels: D of the keys of groups; 0: not so
  int64_t sources = 1;      // more: groups are sources (source_mixture.h)
  std::string combination;  // of sources
};

/// The groups that a memory's positions form, words in sentences say, for an attention on two
/// levels. A position is in one group at most; one in none gets no weight.
class Groups {
 public:
  /// Requires: memory.columns.
  explicit Groups(const Memory& memory);

  /// [N, G] bool: the group has a position that may be attended to.
  [[nodiscard]] const torch::Tensor& there() const { return there_; }
  /// [N, S] int64: the group of each position; -1: none.
  [[nodiscard]] torch::Tensor owner() const;
  /// [N, 1, G, L] bool: a place in a group has a position that may be attended to.
  [[nodiscard]] torch::Tensor seen() const { return seen_.unsqueeze(1); }
  /// x [N, T, S] by group, [N, T, G, L]; where seen() is false it means nothing.
  [[nodiscard]] torch::Tensor gathered(const torch::Tensor& x) const;
  /// x [N, T, G, L] by position, [N, T, S]; zero for positions in no group.
  [[nodiscard]] torch::Tensor scattered(const torch::Tensor& x) const;

 private:
  torch::Tensor columns_;  // [N, G, L]
  int64_t positions_;      // S
  torch::Tensor seen_;     // [N, G, L]
  torch::Tensor there_;
};

/// The groups as positions themselves, which are compared by memory.group_keys.
[[nodiscard]] Memory groups_as_memory(const Memory& memory);

}  // namespace attend::nn
