#include "data/subword_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/random.h"

namespace attend::data {

std::string source_stream(std::size_t side) {
  return side == 0 ? "source" : fmt::format("source {}", side);
}

SubwordSampler::SubwordSampler(const TokenizerPair& tokenizers, const DataOptions& options,
                               double alpha, uint64_t seed)
    : tokenizers_(tokenizers),
      max_length_(static_cast<std::size_t>(options.max_length)),
      alpha_(alpha),
      seed_(seed) {
  for (const std::string& tag : tags_of(options)) {
    if (const auto id = tokenizers.source.find(tag)) tags_.push_back(*id);
  }
}

CutPairs SubwordSampler::cut(const ParallelCorpus& corpus, std::span<const int64_t> pairs,
                             uint64_t epoch) const {
  const uint64_t of_epoch = stream_seed(seed_, "subword sampling", epoch);
  CutPairs cut;
  cut.sources.resize(corpus.sources());
  for (const int64_t pair : pairs) {
    const auto line = static_cast<uint64_t>(corpus.line(pair));
    for (std::size_t side = 0; side < corpus.sources(); ++side) {
      cut.sources[side].push_back(
          cut_source(corpus.source(pair, side), stream_seed(of_epoch, source_stream(side), line)));
    }
    cut.targets.push_back(
        cut_side(tokenizers_.target, corpus.target(pair), stream_seed(of_epoch, "target", line)));
  }
  return cut;
}

SubwordSampler::Ids SubwordSampler::cut_side(const text::Tokenizer& tokenizer, Ids ids,
                                             uint64_t seed) const {
  Ids sampled = tokenizer.sample_again(ids, alpha_, seed);
  const bool fits = !sampled.empty() && sampled.size() <= max_length_;
  return fits ? std::move(sampled) : std::move(ids);
}

SubwordSampler::Ids SubwordSampler::cut_source(Ids ids, uint64_t seed) const {
  if (ids.empty() || std::ranges::find(tags_, ids.front()) == tags_.end())
    return cut_side(tokenizers_.source, std::move(ids), seed);
  const Ids rest(ids.begin() + 1, ids.end());
  Ids sampled = cut_side(tokenizers_.source, rest, seed);
  if (sampled.size() + 1 > max_length_) return ids;
  sampled.insert(sampled.begin(), ids.front());
  return sampled;
}

}  // namespace attend::data
