#include "decode/search/beams.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "decode/scoring/penalty.h"
#include "decode/search/beam_banks.h"
#include "decode/search/no_output.h"

namespace attend::decode {
namespace {

constexpr int64_t kExtraPieces = 10;    // allowed in addition to the ratio or the prefix
constexpr double kLongestOutput = 1e6;  // keeps an absurd ratio within int64

}  // namespace

bool more_probable(const Row& a, const Row& b) {
  if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
  if (a.parent != b.parent) return a.parent < b.parent;
  return a.token < b.token;
}

int64_t longest_output(const SearchSentence& sentence, const DecodingOptions& options) {
  const auto pieces = static_cast<double>(sentence.sources.front().size() - 1);  // without kEos
  const auto by_source =
      static_cast<int64_t>(std::min(options.max_length_ratio * pieces, kLongestOutput));
  const int64_t required = sentence.required == nullptr ? 0 : sentence.required->longest();
  return std::max(by_source, std::ssize(sentence.prefix) + required) + kExtraPieces;
}

Beams::Beams(std::span<const SearchSentence> sentences, const SearchOptions& options)
    : options_(options) {
  for (const SearchSentence& given : sentences) {
    rows_.push_back({.sentence = std::ssize(sentences_)});
    Sentence& sentence = sentences_.emplace_back();
    sentence.prefix = given.prefix;
    sentence.limit = longest_output(given, options.decoding);
    if (given.required != nullptr) sentence.required.emplace(*given.required);
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

std::vector<std::vector<text::TokenId>> Beams::advancing() const {
  const auto is_required = [](const Sentence& sentence) { return sentence.required.has_value(); };
  if (std::none_of(sentences_.begin(), sentences_.end(), is_required)) return {};
  std::vector<std::vector<text::TokenId>> tokens(rows_.size());
  for (std::size_t n = 0; n < rows_.size(); ++n) {
    const auto& sentence = sentences_[static_cast<std::size_t>(rows_[n].sentence)];
    if (!rows_[n].alive || !sentence.required || in_prefix(sentence)) continue;
    const auto advancing = sentence.required->advancing(rows_[n].progress);
    tokens[n].assign(advancing.begin(), advancing.end());
    if (sentence.required->missing(rows_[n].progress) == 0) tokens[n].push_back(text::kEos);
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

/// All continuations of a sentence's rows that have a score, kEos included. Their parents are the
/// current rows. If phrases are required, scores in RowScores::extra replace those in the row's
/// list, and kEos continues a row only if it is in `extra`.
std::vector<Row> Beams::continuations(Range range, const RowScores& scores) const {
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
    const auto* const extra = sentence.required ? &scores.extra[n] : nullptr;
    const auto from_list = [extra](text::TokenId token) {
      return extra == nullptr ||
             (token != text::kEos &&
              std::ranges::find(*extra, token, &TokenScore::token) == extra->end());
    };
    for (auto cell = n * width; cell < (n + 1) * width; ++cell) {
      if (from_list(scores.tokens[cell])) add(n, scores.tokens[cell], scores.log_probs[cell]);
    }
    if (extra == nullptr) continue;
    for (const TokenScore& score : *extra) add(n, score.token, score.log_prob);
  }
  return candidates;
}

/// The continuations that stay in the beam.
std::vector<Row> Beams::expand(Range range, const RowScores& scores) {
  auto& sentence = sentences_[static_cast<std::size_t>(rows_[range.begin].sentence)];
  auto candidates = continuations(range, scores);
  if (sentence.required) return share(sentence, candidates);
  const auto kept = std::min(free_places(sentence), candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<int64_t>(kept),
                    candidates.end(), more_probable);
  candidates.resize(kept);
  return candidates;
}

std::vector<Row> Beams::share(Sentence& sentence, const std::vector<Row>& candidates) const {
  std::vector<BankedRow> banked;
  for (Row row : candidates) {
    row.progress = rows_[static_cast<std::size_t>(row.parent)].progress;
    if (row.token != text::kEos) row.progress = sentence.required->next(row.progress, row.token);
    banked.push_back({row, sentence.required->missing(row.progress)});
  }
  return share_places(std::move(banked), free_places(sentence), sentence.limit - position_ - 1);
}

/// Throws an error that says why a sentence has no continuation. require_finite_sums() has checked
/// the logits, so after the prefix only forbidden tokens can be the cause.
void Beams::fail_to_go_on(const Sentence& sentence) const {
  if (in_prefix(sentence)) throw NumericError("the model's output is not finite");
  throw NoOutput(
      &sentence - sentences_.data(),
      "the constraints forbid every continuation and the end of the output; forbid less");
}

/// Throws an error that says why no hypothesis may end at the length limit. The limit leaves room
/// for all required tokens, so only forbidden ones can be the cause.
void Beams::fail_to_end(const Sentence& sentence) const {
  if (!sentence.required) throw NumericError("the model's output is not finite");
  throw NoOutput(&sentence - sentences_.data(),
                 "no output contains all required phrases, because the search must not use some "
                 "of their pieces; forbid less");
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
    if (sentence.required && sentence.required->missing(rows_[n].progress) > 0) continue;
    end(sentence,
        {.step = position_,
         .row = static_cast<int64_t>(n),
         .log_prob = rows_[n].log_prob + scores.wanted[n],
         .finished = scores.best[n] == text::kEos},
        penalties);
  }
  if (sentence.endings.empty()) fail_to_end(sentence);
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
