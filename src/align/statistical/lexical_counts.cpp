#include "align/statistical/lexical_counts.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace attend::align {

LexicalCounts::Row::Slot& LexicalCounts::Row::slot(int32_t target) {
  uint32_t i = hash(target) >> shift_;
  while (slots_[i].target != target && slots_[i].target != kFree) i = (i + 1) & (capacity() - 1);
  return slots_[i];
}

void LexicalCounts::Row::add(int32_t target, int32_t change) {
  total_ += change;
  Slot& found = slot(target);
  found.count += change;
  if (found.target == target) return;
  found.target = target;
  if (++used_ * 2 >= capacity()) rebuild();
}

void LexicalCounts::Row::compact() {
  const auto linked = static_cast<uint32_t>(
      std::ranges::count_if(slots_, [](const Slot& slot) { return slot.count > 0; }));
  if (linked < used_) rebuild();
}

// Drops pairs whose count is 0, and keeps at least three quarters of the table free.
void LexicalCounts::Row::rebuild() {
  const std::vector<Slot> old = std::exchange(slots_, {});
  used_ = 0;
  for (const Slot& slot : old) used_ += slot.count > 0 ? 1 : 0;
  const uint32_t capacity = std::bit_ceil(4 * std::max<uint32_t>(used_, 1));
  slots_.resize(capacity);
  shift_ = static_cast<uint32_t>(32 - std::countr_zero(capacity));
  for (const Slot& kept : old) {
    if (kept.count > 0) slot(kept.target) = kept;
  }
}

void LexicalCounts::compact() {
  for (Row& row : rows_) row.compact();
}

}  // namespace attend::align
