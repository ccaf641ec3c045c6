#include "decode/search/beams.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "decode/scoring/penalty.h"

namespace attend::decode {
namespace {

constexpr int64_t kExtraPieces = 10;    // allowed in addition to the ratio or the prefix
constexpr double kLongestOutput = 1e6;  // keeps an absurd ratio within int64

bool more_probable(const Row& a, const Row& b) {
  if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
  if (a.parent != b.parent) return a.parent < b.parent;
  return a.token < b.token;
}

}  // namespace

int64_t longest_output(const SearchSentence& sentence, const DecodingOptions& options) {
  const auto pieces = static_cast<double>(sentence.sources.front().size() - 1);  // without kEos
  const auto by_source =
      static_cast<int64_t>(std::min(options.max_length_ratio * pieces, kLongestOutput));
  return std::max(by_source, std::ssize(sentence.prefix)) + kExtraPieces;
}

Beams::Beams(std::span<const SearchSentence> sentences, const SearchOptions& options)
    : options_(options) {
  for (const SearchSentence& given : sentences) {
    rows_.push_back({.sentence = std::ssize(sentences_)});
    Sentence& sentence = sentences_.emplace_back();
    sentence.prefix = given.prefix;
    sentence.limit = longest_output(given, options.decoding);
    if (options.sampling)
      sentence.random = stream(options.sampling->seed, "sampling", given.random_stream);
  }
}

std::vector<text::TokenId> Beams::wanted() const {
  std::vector<text::TokenId> tokens;
  tokens.reserve(rows_.size());
  for (const auto& row : rows_) {
    const auto& sentence = sentences_[static_cast<std::size_t>(row.sentence)];
    tokens.push_back(in_prefix(sentence) ? sentence.prefix[static_cast<std::size_t>(position_)]
                                         : text::kEos);
  }
  return tokens;
}

std::vector<Draws> Beams::draws() {
  std::vector<Draws> draws(rows_.size());
  for (const auto range : row_ranges()) {
    auto& sentence = sentences_[static_cast<std::size_t>(rows_[range.begin].sentence)];
    if (in_prefix(sentence)) continue;
    // At the first drawn position the single row draws all tokens, one per place; after that each
    // row draws one.
    const auto each = alive_rows(range) == 1 ? free_places(sentence) : 1;
    for (auto n = range.begin; n < range.end; ++n) {
      if (rows_[n].alive) draws[n] = {static_cast<int64_t>(each), &sentence.random};
    }
  }
  return draws;
}

void Beams::advance(const RowScores& scores, std::span<const double> penalties) {
  const auto ranges = row_ranges();
  std::vector<std::vector<Row>> next;
  next.reserve(ranges.size());
  for (const auto range : ranges) next.push_back(extend_sentence(range, scores, penalties));
  lay_out(ranges, next);
  ++position_;
}

std::vector<Beams::Range> Beams::row_ranges() const {
  std::vector<Range> ranges;
  for (std::size_t n = 0; n < rows_.size(); ++n) {
    if (n == 0 || rows_[n].sentence != rows_[n - 1].sentence) ranges.push_back({n, n});
    ranges.back().end = n + 1;
  }
  return ranges;
}

std::size_t Beams::alive_rows(Range range) const {
  std::size_t count = 0;
  for (auto n = range.begin; n < range.end; ++n) count += rows_[n].alive ? 1 : 0;
  return count;
}

bool Beams::in_prefix(const Sentence& sentence) const {
  return position_ < static_cast<int64_t>(sentence.prefix.size());
}

std::size_t Beams::free_places(const Sentence& sentence) const {
  const auto places = options_.sampling ? options_.n_best : options_.decoding.beam;
  return static_cast<std::size_t>(places) - sentence.endings.size();
}

/// The best continuations of a sentence's rows, kEos included, as rows whose parents are the
/// current rows.
std::vector<Row> Beams::expand(Range range, const RowScores& scores) const {
  const auto& sentence = sentences_[static_cast<std::size_t>(rows_[range.begin].sentence)];
  const auto width = static_cast<std::size_t>(scores.width);
  std::vector<Row> candidates;
  const auto add = [&](std::size_t n, text::TokenId token, double log_prob) {
    if (!std::isfinite(log_prob)) return;
    candidates.push_back(
        {rows_[n].sentence, static_cast<int64_t>(n), token, rows_[n].log_prob + log_prob});
  };
  for (auto n = range.begin; n < range.end; ++n) {
    if (!rows_[n].alive) continue;
    if (in_prefix(sentence)) {
      add(n, sentence.prefix[static_cast<std::size_t>(position_)], scores.wanted[n]);
      continue;
    }
    for (auto cell = n * width; cell < (n + 1) * width; ++cell)
      add(n, scores.tokens[cell], scores.log_probs[cell]);
  }
  const auto kept = std::min(free_places(sentence), candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<int64_t>(kept),
                    candidates.end(), more_probable);
  candidates.resize(kept);
  return candidates;
}

/// Throws the reason why a sentence has no continuation. require_finite_sums() has checked the
/// logits, so after the prefix only forbidden tokens can cause it.
void Beams::fail_to_go_on(const Sentence& sentence) const {
  if (in_prefix(sentence)) throw NumericError("the model's output is not finite");
  throw UserError(
      ExitCode::kUsage,
      "the constraints forbid every continuation and the end of the output; forbid less");
}

/// The rows that continue a sentence; none if it is finished.
std::vector<Row> Beams::extend_sentence(Range range, const RowScores& scores,
                                        std::span<const double> penalties) {
  if (alive_rows(range) == 0) return {};
  auto& sentence = sentences_[static_cast<std::size_t>(rows_[range.begin].sentence)];
  if (position_ == sentence.limit) {
    close_sentence(range, scores, penalties);
    return {};
  }
  std::vector<Row> next;
  for (const auto& candidate : expand(range, scores)) {
    if (candidate.token == text::kEos) {
      end(sentence, {.step = position_, .row = candidate.parent, .log_prob = candidate.log_prob},
          penalties);
    } else {
      next.push_back(candidate);
    }
  }
  if (next.empty() && sentence.endings.empty()) fail_to_go_on(sentence);
  return settled(sentence, next) ? std::vector<Row>() : next;
}

void Beams::close_sentence(Range range, const RowScores& scores,
                           std::span<const double> penalties) {
  auto& sentence = sentences_[static_cast<std::size_t>(rows_[range.begin].sentence)];
  for (auto n = range.begin; n < range.end; ++n) {
    if (!rows_[n].alive || !std::isfinite(scores.wanted[n])) continue;
    end(sentence,
        {.step = position_,
         .row = static_cast<int64_t>(n),
         .log_prob = rows_[n].log_prob + scores.wanted[n],
         .finished = scores.best[n] == text::kEos},
        penalties);
  }
  if (sentence.endings.empty()) throw NumericError("the model's output is not finite");
}

void Beams::end(Sentence& sentence, Ending ending, std::span<const double> penalties) const {
  ending.score = normalised(ending.log_prob, position_ + 1, options_.decoding.length_penalty);
  if (!penalties.empty()) ending.score += penalties[static_cast<std::size_t>(ending.row)];
  const auto place =
      std::upper_bound(sentence.endings.begin(), sentence.endings.end(), ending,
                       [](const Ending& a, const Ending& b) { return a.score > b.score; });
  sentence.endings.insert(place, ending);
}

/// True if no live row can still get among the n best. (Sampling never stops early: n draws have
/// ended only when none is alive.)
bool Beams::settled(const Sentence& sentence, const std::vector<Row>& alive) const {
  const auto wanted = static_cast<std::size_t>(options_.n_best);
  if (alive.empty() || sentence.endings.size() < wanted) return alive.empty();
  const auto best = std::min_element(alive.begin(), alive.end(), more_probable)->log_prob;
  return sentence.endings[wanted - 1].score >=
         best_reachable(best, position_ + 2, sentence.limit + 1, options_.decoding.length_penalty);
}

/// Lays out the next rows. While at most a quarter of the rows are placeholders, every sentence
/// keeps its rows, so that the large encoder memory need not be gathered again.
void Beams::lay_out(const std::vector<Range>& old_ranges,
                    const std::vector<std::vector<Row>>& next) {
  std::size_t alive = 0;
  bool fits = true;
  for (std::size_t i = 0; i < next.size(); ++i) {
    alive += next[i].size();
    fits = fits && next[i].size() <= old_ranges[i].end - old_ranges[i].begin;
  }
  same_sentences_ = fits && alive > 0 && 4 * alive >= 3 * rows_.size();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < next.size(); ++i) {
    rows.insert(rows.end(), next[i].begin(), next[i].end());
    if (!same_sentences_) continue;
    const auto idle = old_ranges[i].end - old_ranges[i].begin - next[i].size();
    const auto sentence = rows_[old_ranges[i].begin].sentence;
    rows.insert(rows.end(), idle,
                Row{.sentence = sentence,
                    .parent = static_cast<int64_t>(old_ranges[i].begin),
                    .token = text::kEos,
                    .log_prob = 0.0,
                    .alive = false});
  }
  rows_ = std::move(rows);
}

}  // namespace attend::decode
