#include "align/lexicon.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "core/signal.h"

namespace attend::align {
namespace {

/// Row 0 of the table is for "no source"; source piece s has row s + 1.
constexpr int64_t kNoSourceRow = 0;

/// The distinct pairs of co-occurring pieces, ascending, each as row * targets + target.
class CooccurrenceList {
 public:
  explicit CooccurrenceList(int64_t targets) : targets_(targets) {}

  void add(int64_t row, std::span<const int32_t> targets) {
    for (const int32_t target : targets) keys_.push_back(row * targets_ + target);
    if (keys_.size() > enough_) tidy();
  }

  [[nodiscard]] std::vector<int64_t> take() {
    tidy();
    return std::move(keys_);
  }

 private:
  // Removes duplicates. Is called often enough that memory stays below about twice that of the
  // distinct keys (or of 2^22 keys).
  void tidy() {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    enough_ = std::max(enough_, 2 * keys_.size());
  }

  int64_t targets_;
  std::size_t enough_ = std::size_t{1} << 22;
  std::vector<int64_t> keys_;
};

void check_numbers(std::span<const int32_t> pieces, int64_t count) {
  for (const int32_t piece : pieces) {
    if (piece < 0 || piece >= count) throw std::logic_error("learn_lexicon: piece id out of range");
  }
}

std::vector<int64_t> cooccurring(const std::vector<NumberedPair>& pairs,
                                 const LexiconOptions& options) {
  CooccurrenceList list(options.targets);
  for (const NumberedPair& pair : pairs) {
    check_numbers(pair.source, options.sources);
    check_numbers(pair.target, options.targets);
    list.add(kNoSourceRow, pair.target);
    for (const int32_t source : pair.source) list.add(source + 1, pair.target);
  }
  return list.take();
}

void sort_entries(std::vector<LexiconEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const LexiconEntry& a, const LexiconEntry& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  });
}

/// Holds p(target | source) of all co-occurring pieces, and the counts of the current iteration.
class ModelOne {
 public:
  ModelOne(const std::vector<NumberedPair>& pairs, const LexiconOptions& options)
      : pairs_(pairs),
        targets_(options.targets),
        cells_(cooccurring(pairs, options)),
        probabilities_(cells_.size(), 1.0),
        counts_(cells_.size(), 0.0),
        begins_(static_cast<std::size_t>(options.sources) + 2, 0) {
    for (const int64_t cell : cells_) ++begins_[static_cast<std::size_t>(cell / targets_) + 1];
    for (std::size_t row = 1; row < begins_.size(); ++row) begins_[row] += begins_[row - 1];
  }

  void iterate() {
    for (const NumberedPair& pair : pairs_) {
      stop_if_requested("stopped by a signal");
      for (const int32_t target : pair.target) distribute(pair.source, target);
    }
    for (std::size_t row = 0; row + 1 < begins_.size(); ++row) normalise(row);
  }

  [[nodiscard]] std::vector<LexiconEntry> entries(int32_t source, double at_least) const {
    std::vector<LexiconEntry> entries;
    const auto row = static_cast<std::size_t>(source) + 1;
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) {
      if (probabilities_[i] >= at_least)
        entries.push_back({static_cast<int32_t>(cells_[i] % targets_), probabilities_[i]});
    }
    sort_entries(entries);
    return entries;
  }

 private:
  [[nodiscard]] std::size_t place(int64_t row, int32_t target) const {
    const auto begin =
        cells_.begin() + static_cast<int64_t>(begins_[static_cast<std::size_t>(row)]);
    const auto end =
        cells_.begin() + static_cast<int64_t>(begins_[static_cast<std::size_t>(row) + 1]);
    return static_cast<std::size_t>(std::lower_bound(begin, end, row * targets_ + target) -
                                    cells_.begin());
  }

  void distribute(const std::vector<int32_t>& sources, int32_t target) {
    places_.assign(1, place(kNoSourceRow, target));
    for (const int32_t source : sources) places_.push_back(place(source + 1, target));
    double all = 0.0;
    for (const std::size_t i : places_) all += probabilities_[i];
    if (all <= 0.0) return;  // all probabilities underflowed
    for (const std::size_t i : places_) counts_[i] += probabilities_[i] / all;
  }

  void normalise(std::size_t row) {
    double sum = 0.0;
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) sum += counts_[i];
    for (std::size_t i = begins_[row]; i < begins_[row + 1]; ++i) {
      probabilities_[i] = sum > 0.0 ? counts_[i] / sum : 0.0;
      counts_[i] = 0.0;
    }
  }

  const std::vector<NumberedPair>& pairs_;
  int64_t targets_;
  std::vector<int64_t> cells_;  // row * targets + target, ascending
  std::vector<double> probabilities_, counts_;
  std::vector<std::size_t> begins_;  // row r is cells_[begins_[r] .. begins_[r + 1])
  std::vector<std::size_t> places_;  // cells of one target piece with all source pieces of a pair
};

std::vector<LexiconEntry> frequency_of(const std::vector<NumberedPair>& pairs, int64_t targets) {
  std::vector<int64_t> counts(static_cast<std::size_t>(targets), 0);
  int64_t all = 0;
  for (const NumberedPair& pair : pairs) {
    for (const int32_t target : pair.target) ++counts[static_cast<std::size_t>(target)];
    all += std::ssize(pair.target);
  }
  std::vector<LexiconEntry> entries;
  for (std::size_t target = 0; target < counts.size(); ++target) {
    if (counts[target] == 0) continue;
    entries.push_back({static_cast<int32_t>(target),
                       static_cast<double>(counts[target]) / static_cast<double>(all)});
  }
  sort_entries(entries);
  return entries;
}

}  // namespace

Lexicon learn_lexicon(const std::vector<NumberedPair>& pairs, const LexiconOptions& options) {
  ModelOne model(pairs, options);
  for (int64_t i = 0; i < options.iterations; ++i) model.iterate();
  Lexicon lexicon;
  for (int32_t source = 0; source < options.sources; ++source)
    lexicon.by_source.push_back(model.entries(source, options.at_least));
  lexicon.frequency = frequency_of(pairs, options.targets);
  return lexicon;
}

}  // namespace attend::align
