#include "metrics/ngrams.h"

#include <algorithm>
#include <bit>

namespace attend::metrics {
namespace {

constexpr uint64_t kFree = ~uint64_t{0};

}  // namespace

std::vector<uint32_t> TokenNumbers::number(std::span<const std::string_view> tokens) {
  std::vector<uint32_t> numbers;
  numbers.reserve(tokens.size());
  for (const std::string_view token : tokens) {
    const auto next = static_cast<uint32_t>(numbers_.size() + 1);
    numbers.push_back(numbers_.try_emplace(token, next).first->second);
  }
  return numbers;
}

NgramNumbers::NgramNumbers(std::vector<std::vector<uint32_t>> texts) : symbols_(std::move(texts)) {
  std::size_t total = 0;
  for (const auto& text : symbols_) {
    ngrams_.emplace_back(text.size(), 0);
    total += text.size();
  }
  keys_.resize(std::bit_ceil(2 * total + 2));
  numbers_.resize(keys_.size());
}

// Multiplicative hashing (Knuth, volume 3, section 6.4) with linear probing.
uint32_t NgramNumbers::number_of(uint64_t key) {
  const int shift = 64 - std::countr_zero(keys_.size());
  std::size_t slot = (key * 0x9e3779b97f4a7c15U) >> shift;
  while (keys_[slot] != kFree && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
  if (keys_[slot] == kFree) {
    keys_[slot] = key;
    numbers_[slot] = distinct_++;
  }
  return numbers_[slot];
}

void NgramNumbers::next_order() {
  std::ranges::fill(keys_, kFree);
  distinct_ = 0;
  for (std::size_t t = 0; t < ngrams_.size(); ++t) {
    auto& ngrams = ngrams_[t];
    const auto& symbols = symbols_[t];
    const std::size_t left = symbols.size() > order_ ? symbols.size() - order_ : 0;
    for (std::size_t i = 0; i < left; ++i) {
      ngrams[i] = number_of((uint64_t{ngrams[i]} << 32U) | symbols[i + order_]);
    }
    ngrams.resize(left);
  }
  ++order_;
}

std::vector<uint32_t> NgramNumbers::counts(std::size_t index) const {
  std::vector<uint32_t> counts(distinct_, 0);
  for (const uint32_t ngram : ngrams_[index]) ++counts[ngram];
  return counts;
}

std::vector<NgramNumbers::Count> NgramNumbers::distinct(std::size_t index) const {
  std::vector<uint32_t> sorted = ngrams_[index];
  std::ranges::sort(sorted);
  std::vector<Count> counts;
  for (const uint32_t ngram : sorted) {
    if (counts.empty() || counts.back().ngram != ngram) counts.push_back({ngram, 0});
    ++counts.back().times;
  }
  return counts;
}

std::vector<uint32_t> NgramNumbers::matches_of_all() const {
  const std::size_t texts = ngrams_.size();
  std::vector<std::vector<Count>> all;
  for (std::size_t i = 0; i < texts; ++i) all.push_back(distinct(i));
  std::vector<uint32_t> matches(texts * texts);
  std::vector<uint32_t> times(distinct_, 0);  // in text i
  for (std::size_t i = 0; i < texts; ++i) {
    for (const Count& count : all[i]) times[count.ngram] = count.times;
    for (std::size_t j = 0; j <= i; ++j) {
      uint32_t sum = 0;
      for (const Count& count : all[j]) sum += std::min(count.times, times[count.ngram]);
      matches[i * texts + j] = matches[j * texts + i] = sum;
    }
    for (const Count& count : all[i]) times[count.ngram] = 0;
  }
  return matches;
}

uint64_t clipped_matches(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  uint64_t matches = 0;
  for (std::size_t i = 0; i < a.size(); ++i) matches += std::min(a[i], b[i]);
  return matches;
}

}  // namespace attend::metrics
