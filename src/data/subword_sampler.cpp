#include "data/subword_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/random.h"

namespace attend::data {
namespace {

using Ids = std::vector<text::TokenId>;
using Origins = std::vector<std::size_t>;

Origins numbers(std::size_t count) {
  Origins all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Name of the random stream of a source side.
std::string source_stream(std::size_t side) {
  return side == 0 ? "source" : fmt::format("source {}", side);
}

/// For each of `sampled`, the index of the piece of `usual` that contains its text. Empty if
/// `usual` and `sampled` decode to different texts.
Origins find_origins(const text::Tokenizer& tokenizer, const Ids& usual, const Ids& sampled) {
  const text::Detokenized from = tokenizer.decode_with_spans(usual);
  const text::Detokenized to = tokenizer.decode_with_spans(sampled);
  if (from.text != to.text || from.text.empty()) return {};
  Origins piece_at(from.text.size());  // byte by byte
  for (std::size_t i = 0; i < usual.size(); ++i) {
    const utf8::Span& span = from.spans[i];
    std::fill(piece_at.begin() + static_cast<std::ptrdiff_t>(span.begin),
              piece_at.begin() + static_cast<std::ptrdiff_t>(span.end), i);
  }
  Origins origins;
  for (const utf8::Span& span : to.spans) {
    // Looks for the last byte of the piece, because the first one may be the space before a word.
    const std::size_t byte = span.end > span.begin ? span.end - 1 : span.begin;
    origins.push_back(piece_at[std::min(byte, piece_at.size() - 1)]);
  }
  return origins;
}

/// Returns the origins of `sampled`. Replaces `sampled` by `usual` if they cannot be found.
Origins trace(const text::Tokenizer& tokenizer, Ids usual, Ids& sampled) {
  Origins origins;
  if (sampled != usual) origins = find_origins(tokenizer, usual, sampled);
  if (!origins.empty()) return origins;
  sampled = std::move(usual);
  return numbers(sampled.size());
}

}  // namespace

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
    if (corpus.goals() == nullptr) continue;
    auto source = trace(tokenizers_.source, corpus.source(pair), cut.sources.at(0).back());
    auto target = trace(tokenizers_.target, corpus.target(pair), cut.targets.back());
    cut.origins.push_back({std::move(source), std::move(target)});
  }
  return cut;
}

Ids SubwordSampler::cut_side(const text::Tokenizer& tokenizer, Ids ids, uint64_t seed) const {
  Ids sampled = tokenizer.sample_again(ids, alpha_, seed);
  const bool fits = !sampled.empty() && sampled.size() <= max_length_;
  return fits ? std::move(sampled) : std::move(ids);
}

Ids SubwordSampler::cut_source(Ids ids, uint64_t seed) const {
  if (ids.empty() || std::ranges::find(tags_, ids.front()) == tags_.end())
    return cut_side(tokenizers_.source, std::move(ids), seed);
  const Ids rest(ids.begin() + 1, ids.end());
  Ids sampled = cut_side(tokenizers_.source, rest, seed);
  if (sampled.size() + 1 > max_length_) return ids;
  sampled.insert(sampled.begin(), ids.front());
  return sampled;
}

}  // namespace attend::data
