#pragma once
#include <cstdint>
#include <vector>

namespace attend::kernels {

/// Which rows take part in each step of a loop: the first so many, never more than at the step
/// before. What a loop computes lies step after step without gaps.
class Steps {
 public:
  /// `rows` of each step, at least one step. Throws std::logic_error where they grow.
  explicit Steps(const std::vector<int64_t>& rows);

  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(begins_.size()) - 2; }
  [[nodiscard]] int64_t rows(int64_t step) const { return begin(step + 1) - begin(step); }
  /// Rows of all steps before `step`. Of step -1, which is a state before the first, it is
  /// -rows(0).
  [[nodiscard]] int64_t begin(int64_t step) const {
    return begins_[static_cast<std::size_t>(step + 1)];
  }
  /// Rows of all steps.
  [[nodiscard]] int64_t total() const { return begins_.back(); }
  /// Whether all steps have the same rows.
  [[nodiscard]] bool are_equal() const { return total() == count() * rows(0); }

 private:
  std::vector<int64_t> begins_;  // of steps -1, 0, ..., count()
};

}  // namespace attend::kernels
