#include "data/pair_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/random.h"
#include "data/augmentation.h"
#include "text/placeholders.h"

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

/// A line as it is decoded, with the words of its text.
struct Line {
  Line(const text::Tokenizer& tokenizer, const Ids& ids)
      : decoded(tokenizer.decode_with_spans(ids)), words(utf8::word_spans(decoded.text)) {}

  text::Detokenized decoded;
  std::vector<utf8::Span> words;
};

/// For each byte of `line`, the index of the piece that contains it.
Origins piece_at(const text::Detokenized& line) {
  Origins pieces(line.text.size());
  for (std::size_t i = 0; i < line.spans.size(); ++i) {
    const utf8::Span& span = line.spans[i];
    std::fill(pieces.begin() + static_cast<std::ptrdiff_t>(span.begin),
              pieces.begin() + static_cast<std::ptrdiff_t>(span.end), i);
  }
  return pieces;
}

/// The byte of `to` that corresponds to `byte` of `from`: in the word of the same number, at the
/// same offset or at the end of a shorter word. Requires: `to` has words.
std::size_t same_place(const Line& from, std::size_t byte, const Line& to) {
  const auto word = std::ranges::find_if(from.words, [&](auto span) { return byte < span.end; });
  const auto index = static_cast<std::size_t>(word - from.words.begin());
  if (word == from.words.end() || index >= to.words.size()) return to.words.back().end - 1;
  const std::size_t offset = byte > word->begin ? byte - word->begin : 0;
  return std::min(to.words[index].begin + offset, to.words[index].end - 1);
}

/// For each of the `present` pieces, the index of the piece of `usual` that contains its text.
/// If the text was changed, words correspond by their number. Empty if a text has no words.
Origins find_origins(const text::Tokenizer& tokenizer, const Ids& usual, const Ids& present) {
  const Line from(tokenizer, usual);
  const Line to(tokenizer, present);
  if (from.words.empty() || to.words.empty()) return {};
  const bool same_text = from.decoded.text == to.decoded.text;
  const Origins pieces = piece_at(from.decoded);
  Origins origins;
  for (const utf8::Span& span : to.decoded.spans) {
    // Looks for the last byte of the piece, because the first one may be the space before a word.
    const std::size_t byte = span.end > span.begin ? span.end - 1 : span.begin;
    const std::size_t place = same_text ? byte : same_place(to, byte, from);
    origins.push_back(pieces[std::min(place, pieces.size() - 1)]);
  }
  return origins;
}

/// Returns the origins of `present`. Replaces `present` by `usual` if they cannot be found.
Origins trace(const text::Tokenizer& tokenizer, Ids usual, Ids& present) {
  Origins origins;
  if (present != usual) origins = find_origins(tokenizer, usual, present);
  if (!origins.empty()) return origins;
  present = std::move(usual);
  return numbers(present.size());
}

/// The largest number, from 1, of a placeholder in `ids`; 0 if there is none.
std::size_t last_placeholder(const Ids& ids, const Ids& placeholders) {
  std::size_t last = 0;
  for (std::size_t number = 0; number < placeholders.size(); ++number) {
    if (std::ranges::find(ids, placeholders[number]) != ids.end()) last = number + 1;
  }
  return last;
}

/// Adds `by` to the number of each placeholder. Requires: the sums exist.
void renumber(Ids& ids, const Ids& placeholders, std::size_t by) {
  for (text::TokenId& id : ids) {
    const auto found = std::ranges::find(placeholders, id);
    if (found != placeholders.end())
      id = placeholders.at(static_cast<std::size_t>(found - placeholders.begin()) + by);
  }
}

}  // namespace

PairSampler::PairSampler(const TokenizerPair& tokenizers, const DataOptions& options, double alpha,
                         uint64_t seed)
    : tokenizers_(tokenizers),
      augment_(options.augment),
      max_length_(static_cast<std::size_t>(options.max_length)),
      alpha_(alpha),
      seed_(seed) {
  for (const std::string& tag : tags_of(options)) {
    if (const auto id = tokenizers.source.find(tag)) tags_.push_back(*id);
  }
  if (options.protect.empty()) return;
  placeholders_ = {text::placeholder_ids(tokenizers.source),
                   text::placeholder_ids(tokenizers.target)};
}

CutPairs PairSampler::cut(const ParallelCorpus& corpus, std::span<const int64_t> pairs,
                          uint64_t epoch) const {
  const uint64_t of_epoch = stream_seed(seed_, "subword sampling", epoch);
  const uint64_t changes = stream_seed(seed_, "augmentation", epoch);
  CutPairs cut;
  cut.sources.resize(corpus.sources());
  for (const int64_t pair : pairs) {
    const auto line = static_cast<uint64_t>(corpus.line(pair));
    auto changed = augmented(corpus, pair, stream_seed(changes, "line", line));
    Example example = changed ? std::move(*changed) : stored(corpus, pair);
    for (std::size_t side = 0; side < corpus.sources(); ++side) {
      cut.sources[side].push_back(cut_source(std::move(example.sources[side]),
                                             stream_seed(of_epoch, source_stream(side), line)));
    }
    cut.targets.push_back(cut_side(tokenizers_.target, std::move(example.target),
                                   stream_seed(of_epoch, "target", line)));
    if (corpus.goals() == nullptr) continue;
    auto source = trace(tokenizers_.source, corpus.source(pair), cut.sources.at(0).back());
    auto target = trace(tokenizers_.target, corpus.target(pair), cut.targets.back());
    cut.origins.push_back({std::move(source), std::move(target)});
  }
  return cut;
}

PairSampler::Example PairSampler::stored(const ParallelCorpus& corpus, int64_t pair) {
  Example example;
  for (std::size_t side = 0; side < corpus.sources(); ++side)
    example.sources.push_back(corpus.source(pair, side));
  example.target = corpus.target(pair);
  return example;
}

bool PairSampler::has_tag(const Ids& ids) const {
  return !ids.empty() && std::ranges::find(tags_, ids.front()) != tags_.end();
}

bool PairSampler::fits(const Example& example) const {
  const auto side_fits = [this](const Ids& ids) {
    return !ids.empty() && ids.size() <= max_length_;
  };
  return std::ranges::all_of(example.sources, side_fits) && side_fits(example.target);
}

std::optional<PairSampler::Example> PairSampler::augmented(const ParallelCorpus& corpus,
                                                           int64_t pair, uint64_t seed) const {
  const Change change = draw_change(augment_, seed);
  if (change == Change::none) return std::nullopt;
  Example example = stored(corpus, pair);
  if (change == Change::two_sentences) {
    if (!join(example, stored(corpus, (pair + 1) % corpus.size()))) return std::nullopt;
  } else {
    for (Ids& source : example.sources) source = changed_source(std::move(source), change, seed);
    example.target = tokenizers_.target.encode_changed(example.target, [&](std::string_view line) {
      return changed(line, change, Side::target, seed);
    });
  }
  if (!fits(example)) return std::nullopt;
  return example;
}

PairSampler::Ids PairSampler::changed_source(Ids ids, Change change, uint64_t seed) const {
  const auto tags = static_cast<std::ptrdiff_t>(has_tag(ids) ? 1 : 0);
  const Ids rest = tokenizers_.source.encode_changed(
      std::span(ids).subspan(static_cast<std::size_t>(tags)),
      [&](std::string_view line) { return changed(line, change, Side::source, seed); });
  ids.erase(ids.begin() + tags, ids.end());
  ids.insert(ids.end(), rest.begin(), rest.end());
  return ids;
}

bool PairSampler::join(Example& example, Example next) const {
  const auto numbers_of = [this](const Example& one) {
    return std::max(last_placeholder(one.sources.front(), placeholders_.source),
                    last_placeholder(one.target, placeholders_.target));
  };
  const std::size_t before = numbers_of(example);
  if (before + numbers_of(next) > text::kPlaceholders) return false;
  renumber(next.sources.front(), placeholders_.source, before);
  renumber(next.target, placeholders_.target, before);
  for (std::size_t side = 0; side < example.sources.size(); ++side) {
    const Ids& more = next.sources[side];
    example.sources[side].insert(example.sources[side].end(),
                                 more.begin() + (has_tag(more) ? 1 : 0), more.end());
  }
  const bool reversed = tokenizers_.target.order() == text::PieceOrder::kReversed;
  example.target.insert(reversed ? example.target.begin() : example.target.end(),
                        next.target.begin(), next.target.end());
  return true;
}

PairSampler::Ids PairSampler::cut_side(const text::Tokenizer& tokenizer, Ids ids,
                                       uint64_t seed) const {
  if (alpha_ == 0.0) return ids;
  Ids sampled = tokenizer.sample_again(ids, alpha_, seed);
  const bool fits = !sampled.empty() && sampled.size() <= max_length_;
  return fits ? std::move(sampled) : std::move(ids);
}

PairSampler::Ids PairSampler::cut_source(Ids ids, uint64_t seed) const {
  if (!has_tag(ids)) return cut_side(tokenizers_.source, std::move(ids), seed);
  const Ids rest(ids.begin() + 1, ids.end());
  Ids sampled = cut_side(tokenizers_.source, rest, seed);
  if (sampled.size() + 1 > max_length_) return ids;
  sampled.insert(sampled.begin(), ids.front());
  return sampled;
}

}  // namespace attend::data
