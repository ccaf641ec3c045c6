#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attend::align {

/// The number of links between each source word and each target word, in one hash table per source
/// word. Tables hold only target words that were linked since the last compact(), so memory grows
/// with the distinct links and not with the co-occurring words.
class LexicalCounts {
 public:
  /// The counts of one source word. The addresses of rows stay valid; their contents change.
  class Row {
   public:
    [[nodiscard]] int32_t count(int32_t target) const { return count_at(hash(target), target); }
    /// count(target), given hash(target), which is the same for all rows.
    [[nodiscard]] int32_t count_at(uint32_t hash, int32_t target) const {
      for (uint32_t i = hash >> shift_;; i = (i + 1) & (capacity() - 1)) {
        const Slot slot = slots_[i];
        if (slot.target == target) return slot.count;
        if (slot.target == kFree) return 0;
      }
    }
    /// The sum of the counts.
    [[nodiscard]] int64_t total() const { return total_; }
    /// Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
    [[nodiscard]] static uint32_t hash(int32_t target) {
      return static_cast<uint32_t>(target) * 2654435769U;
    }

   private:
    friend class LexicalCounts;
    static constexpr int32_t kFree = -1;
    struct Slot {
      int32_t target = kFree;
      int32_t count = 0;
    };

    [[nodiscard]] uint32_t capacity() const { return static_cast<uint32_t>(slots_.size()); }
    Slot& slot(int32_t target);
    void add(int32_t target, int32_t change);
    void compact();
    void rebuild();

    std::vector<Slot> slots_ = std::vector<Slot>(2);  // a power of two, more than half of it free
    uint32_t shift_ = 31;                             // 32 - log2(capacity)
    uint32_t used_ = 0;                               // slots with a target, including count 0
    int64_t total_ = 0;
  };

  explicit LexicalCounts(std::size_t sources) : rows_(sources) {}

  /// Adds `change` to the count of a pair. Requires: the result is not negative.
  void add(int32_t source, int32_t target, int32_t change) {
    rows_[static_cast<std::size_t>(source)].add(target, change);
  }
  [[nodiscard]] const Row& row(int32_t source) const {
    return rows_[static_cast<std::size_t>(source)];
  }

  /// Removes pairs whose count is 0.
  void compact();

 private:
  std::vector<Row> rows_;
};

}  // namespace attend::align
