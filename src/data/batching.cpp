#include "data/batching.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/random.h"
#include "data/batch.h"
#include "data/corpus_weights.h"

namespace attend::data {
namespace {

/// Pairs [begin, end) of the order.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// About the largest number of batches per pool. It is enough for little padding (5% over both
/// sides of Multi30k, 1% on the target side), and small enough that batches differ between epochs.
constexpr int64_t kBatchesPerPool = 100;

/// The batch being filled. Tells whether another pair fits.
class Filling {
 public:
  /// `first_size`: size limit of the first batch.
  Filling(const BatchOptions& options, int64_t first_size)
      : by_sentences_(options.unit == BatchUnit::sentences),
        size_(options.size),
        room_(first_size) {}

  [[nodiscard]] bool fits(int64_t source_length, int64_t target_length) const {
    if (rows_ == 0) return true;
    return (rows_ + 1) * (by_sentences_ ? 1 : longest_with(source_length, target_length)) <= room_;
  }
  void add(int64_t source_length, int64_t target_length) {
    longest_ = longest_with(source_length, target_length);
    ++rows_;
  }
  void start_next() {
    rows_ = longest_ = 0;
    room_ = size_;
  }

 private:
  [[nodiscard]] int64_t longest_with(int64_t source_length, int64_t target_length) const {
    return std::max({longest_, source_length + 1, target_length + 1});
  }

  bool by_sentences_;
  int64_t size_;
  int64_t room_;
  int64_t rows_ = 0;
  int64_t longest_ = 0;  // of either side, with its end symbol
};

/// Cuts the order into pools of about equally many sentences or tokens, according to options.unit.
std::vector<Range> cut_into_pools(const ParallelCorpus& corpus, const BatchOptions& options,
                                  const std::vector<int64_t>& order) {
  const auto content = [&](int64_t pair) {
    if (options.unit == BatchUnit::sentences) return int64_t{1};
    return std::max(corpus.source_length(pair), corpus.target_length(pair)) + 1;
  };
  double total = 0;
  for (const int64_t pair : order) total += static_cast<double>(content(pair));
  const double most = static_cast<double>(options.size) * kBatchesPerPool;
  const double each = total / std::max(1.0, std::ceil(total / most));
  std::vector<Range> pools;
  double held = 0;
  for (std::size_t i = 0, begin = 0; i < order.size(); ++i) {
    held += static_cast<double>(content(order[i]));
    const bool full = held >= each * static_cast<double>(pools.size() + 1);
    if (!full && i + 1 < order.size()) continue;
    pools.push_back({begin, i + 1});
    begin = i + 1;
  }
  return pools;
}

/// Sorts by target length, then by source length: ascending if the target length is even and
/// descending if it is odd, so that source lengths do not jump within a batch that spans two target
/// lengths.
void sort_by_length(const ParallelCorpus& corpus, std::span<int64_t> pairs) {
  const auto key = [&](int64_t pair) {
    const int64_t target = corpus.target_length(pair);
    const int64_t source = corpus.source_length(pair);
    return std::tuple(target, target % 2 == 0 ? source : -source);
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](int64_t a, int64_t b) { return key(a) < key(b); });
}

/// Cuts a sorted pool into batches and appends them to `batches`.
void cut_into_batches(const ParallelCorpus& corpus, Filling filling,
                      const std::vector<int64_t>& order, Range pool, std::vector<Range>& batches) {
  std::size_t begin = pool.begin;
  for (std::size_t i = pool.begin; i < pool.end; ++i) {
    const int64_t source = corpus.source_length(order[i]);
    const int64_t target = corpus.target_length(order[i]);
    if (!filling.fits(source, target)) {
      batches.push_back({begin, i});
      begin = i;
      filling.start_next();
    }
    filling.add(source, target);
  }
  if (begin < pool.end) batches.push_back({begin, pool.end});
}

EpochPlan assemble(const std::vector<int64_t>& order, const std::vector<Range>& batches) {
  EpochPlan plan;
  plan.order.reserve(order.size());
  plan.starts.reserve(batches.size() + 1);
  for (const Range& batch : batches) {
    plan.starts.push_back(static_cast<int64_t>(plan.order.size()));
    for (std::size_t i = batch.begin; i < batch.end; ++i) plan.order.push_back(order[i]);
  }
  plan.starts.push_back(static_cast<int64_t>(plan.order.size()));
  return plan;
}

/// Returns `sentence_of(example)` for each of `examples`.
template <class Get>
Sentences collect(std::span<const int64_t> examples, const Get& sentence_of) {
  Sentences sentences;
  sentences.reserve(examples.size());
  for (const int64_t example : examples) sentences.push_back(sentence_of(example));
  return sentences;
}

/// Adds the attention goals [B, T, S] if the corpus has them. Row i of the batch is the pair
/// `pairs[rows[i]]`. `origins` is empty unless the pieces are sampled.
void add_goals(Batch& batch, const ParallelCorpus& corpus, std::span<const int64_t> pairs,
               const std::vector<std::size_t>& rows, const std::vector<PieceOrigins>& origins) {
  if (corpus.goals() == nullptr) return;
  const int64_t target_steps = batch.target_output.size(1);
  const int64_t source_steps = batch.source().ids.size(1);
  batch.goals = torch::zeros({batch.size(), target_steps, source_steps}, torch::kFloat);
  auto* matrix = batch.goals.data_ptr<float>();
  for (const std::size_t row : rows) {
    const int64_t length = corpus.target_length(pairs[row]);
    if (origins.empty()) {
      corpus.goals()->fill(pairs[row], length, matrix, source_steps);
    } else {
      corpus.goals()->fill(pairs[row], length, origins[row], matrix, source_steps);
    }
    matrix += target_steps * source_steps;
  }
}

/// Indices of the pairs by descending length of their longest source.
std::vector<std::size_t> rows_by_length(const CutPairs& cut) {
  std::vector<std::size_t> lengths(cut.targets.size(), 0);
  for (const Sentences& side : cut.sources) {
    for (std::size_t i = 0; i < side.size(); ++i) lengths[i] = std::max(lengths[i], side[i].size());
  }
  std::vector<std::size_t> rows(lengths.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  return rows;
}

/// Moves the sentences out of `sentences`, in the order of `rows`.
Sentences take(Sentences& sentences, const std::vector<std::size_t>& rows) {
  Sentences taken;
  taken.reserve(rows.size());
  for (const std::size_t row : rows) taken.push_back(std::move(sentences[row]));
  return taken;
}

/// Counts pieces, including an end symbol per sentence.
int64_t count_tokens(const Sentences& sentences) {
  std::size_t count = sentences.size();
  for (const auto& sentence : sentences) count += sentence.size();
  return static_cast<int64_t>(count);
}

Batch batch_of(const ParallelCorpus& corpus, std::span<const int64_t> pairs, CutPairs cut) {
  const std::vector<std::size_t> rows = rows_by_length(cut);
  Batch batch;
  for (Sentences& side : cut.sources) {
    batch.source_tokens += count_tokens(side);
    batch.sources.push_back(frame_sources(take(side, rows)));
  }
  batch.target_tokens = count_tokens(cut.targets);
  FramedTargets targets = frame_targets(take(cut.targets, rows));
  batch.target_input = std::move(targets.input);
  batch.target_output = std::move(targets.output);
  add_goals(batch, corpus, pairs, rows, cut.origins);
  for (const std::size_t row : rows) batch.lines.push_back(corpus.line(pairs[row]));
  return batch;
}

}  // namespace

std::span<const int64_t> EpochPlan::batch(int64_t i) const {
  const auto begin = static_cast<std::size_t>(starts.at(static_cast<std::size_t>(i)));
  const auto end = static_cast<std::size_t>(starts.at(static_cast<std::size_t>(i) + 1));
  return std::span(order).subspan(begin, end - begin);
}

EpochPlan plan_epoch(const ParallelCorpus& corpus, const BatchOptions& options, uint64_t seed,
                     uint64_t epoch) {
  return plan_pairs(corpus, options, pairs_of_epoch(corpus, seed, epoch),
                    stream(seed, "shuffle", epoch));
}

EpochPlan plan_pairs(const ParallelCorpus& corpus, const BatchOptions& options,
                     std::vector<int64_t> order, Random random) {
  random.shuffle(order);
  std::vector<Range> batches;
  for (const Range& pool : cut_into_pools(corpus, options, order)) {
    sort_by_length(corpus, std::span(order).subspan(pool.begin, pool.end - pool.begin));
    const auto first_size = static_cast<int64_t>(random.below(static_cast<uint64_t>(options.size)));
    cut_into_batches(corpus, Filling(options, first_size + 1), order, pool, batches);
  }
  random.shuffle(batches);
  return assemble(order, batches);
}

Batch make_batch(const ParallelCorpus& corpus, std::span<const int64_t> pairs) {
  CutPairs cut;
  for (std::size_t side = 0; side < corpus.sources(); ++side)
    cut.sources.push_back(collect(pairs, [&](int64_t pair) { return corpus.source(pair, side); }));
  cut.targets = collect(pairs, [&](int64_t pair) { return corpus.target(pair); });
  return batch_of(corpus, pairs, std::move(cut));
}

Batch make_batch(const ParallelCorpus& corpus, std::span<const int64_t> pairs, CutPairs cut) {
  if (corpus.goals() != nullptr && cut.origins.size() != pairs.size())
    throw std::logic_error("make_batch: goals for sampled pieces need their origins");
  return batch_of(corpus, pairs, std::move(cut));
}

}  // namespace attend::data
