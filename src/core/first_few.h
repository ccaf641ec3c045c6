#pragma once
#include <cstdint>

namespace attend {

/// Counts problems, so that only the first few are reported one by one.
class FirstFew {
 public:
  static constexpr int64_t kNamed = 5;

  /// Counts one more problem. Returns true if it is among the first kNamed.
  bool add() { return ++count_ <= kNamed; }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] bool has_unnamed() const { return count_ > kNamed; }

 private:
  int64_t count_ = 0;
};

}  // namespace attend
