#include "data/corpus_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"

namespace attend::data {
namespace {

/// An epoch has `whole` copies of each pair of a part, and one more copy of `extra` of the pairs.
struct Copies {
  int64_t whole = 0;
  int64_t extra = 0;
};

Copies copies_of(int64_t pairs, double weight) {
  const double whole = std::floor(weight);
  return {static_cast<int64_t>(whole), std::llround((weight - whole) * static_cast<double>(pairs))};
}

std::vector<int64_t> numbers(int64_t begin, int64_t end) {
  std::vector<int64_t> result(static_cast<std::size_t>(end - begin));
  std::iota(result.begin(), result.end(), begin);
  return result;
}

}  // namespace

void set_weights(TrainingText& text, const DataOptions& options) {
  const auto is_one = [](const CorpusFiles& files) { return files.weight == 1.0; };
  const std::vector<CorpusFiles> texts = texts_of(options);
  if (std::ranges::all_of(texts, is_one)) return;
  std::vector<WeightedPart> parts;
  for (std::size_t i = 0; i < texts.size(); ++i)
    parts.push_back({text.corpus.examples_up_to(text.ends.at(i)), texts[i].weight});
  text.corpus.set_parts(std::move(parts));
}

std::vector<int64_t> pairs_of_epoch(const ParallelCorpus& corpus, uint64_t seed, uint64_t epoch) {
  if (corpus.parts().empty()) return numbers(0, corpus.size());
  Random random = stream(seed, "corpus weights", epoch);
  std::vector<int64_t> all;
  int64_t begin = 0;
  for (const WeightedPart& part : corpus.parts()) {
    std::vector<int64_t> pairs = numbers(begin, part.end);
    const Copies copies = copies_of(part.end - begin, part.weight);
    for (int64_t copy = 0; copy < copies.whole; ++copy)
      all.insert(all.end(), pairs.begin(), pairs.end());
    random.shuffle(pairs);
    all.insert(all.end(), pairs.begin(), pairs.begin() + copies.extra);
    begin = part.end;
  }
  return all;
}

int64_t count_pairs_of_epoch(const ParallelCorpus& corpus) {
  if (corpus.parts().empty()) return corpus.size();
  int64_t count = 0, begin = 0;
  for (const WeightedPart& part : corpus.parts()) {
    const Copies copies = copies_of(part.end - begin, part.weight);
    count += copies.whole * (part.end - begin) + copies.extra;
    begin = part.end;
  }
  return count;
}

}  // namespace attend::data
