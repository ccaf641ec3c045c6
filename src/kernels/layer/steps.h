#pragma once
#include <cstdint>
#include <vector>

namespace attend::kernels {

/// Number of active rows in each step of a loop: the first rows(step) rows, never more than in the
/// previous step. The values of a loop are stored step after step without gaps.
class Steps {
 public:
  /// `rows` of each step, at least one step. Throws std::logic_error if their number grows.
  explicit Steps(const std::vector<int64_t>& rows);

  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(begins_.size()) - 2; }
  [[nodiscard]] int64_t rows(int64_t step) const { return begin(step + 1) - begin(step); }
  /// Rows of all steps before `step`; -rows(0) for step -1, the state before the first step.
  [[nodiscard]] int64_t begin(int64_t step) const {
    return begins_[static_cast<std::size_t>(step + 1)];
  }
  /// Rows of all steps.
  [[nodiscard]] int64_t total() const { return begins_.back(); }
  /// Returns true if all steps have the same number of rows.
  [[nodiscard]] bool are_equal() const { return total() == count() * rows(0); }

 private:
  std::vector<int64_t> begins_;  // begin() of steps -1, 0, ..., count()
};

}  // namespace attend::kernels
