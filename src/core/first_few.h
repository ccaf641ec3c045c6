#pragma once
#include <cstdint>

namespace attend {

/// Counts what is warned about, of which only the first few are named.
class FirstFew {
 public:
  static constexpr int64_t kNamed = 5;

  /// Counts one more. True: it is one of the first, and to be named.
  bool add() { return ++count_ <= kNamed; }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] bool has_unnamed() const { return count_ > kNamed; }

 private:
  int64_t count_ = 0;
};

}  // namespace attend
