#include "decode/search/search.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "decode/scoring/candidates.h"
#include "decode/scoring/finite.h"
#include "decode/scoring/penalty.h"
#include "decode/scoring/repeats.h"
#include "decode/scoring/row_scores.h"
#include "decode/scoring/shortlist.h"
#include "decode/search/beams.h"
#include "decode/search/trace.h"

namespace attend::decode {
namespace {

torch::Tensor column(std::span<const Row> rows, int64_t (*value)(const Row&),
                     torch::Device device) {
  std::vector<int64_t> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(value(row));
  return torch::tensor(values, torch::kInt64).to(device);
}

torch::Tensor last_tokens(const Beams& beams, torch::Device device) {
  return column(
      beams.rows(), [](const Row& row) { return int64_t{row.token}; }, device);
}

bool stays_in_place(const Beams& beams, std::size_t old_rows) {
  const auto& rows = beams.rows();
  if (rows.size() != old_rows) return false;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (rows[n].parent != static_cast<int64_t>(n)) return false;
  }
  return true;
}

/// What goes along with the rows of a search.
struct Moving {
  std::unique_ptr<StepSession> session;
  std::optional<CoveragePenalty> coverage;

  void reorder(const Beams& beams, torch::Device device) {
    const auto parents = column(
        beams.rows(), [](const Row& row) { return row.parent; }, device);
    session->select({parents, beams.same_sentences()});
    if (coverage) coverage->select(parents);
  }
};

/// A single hypothesis that is not finite would be dropped, and others be taken for the best.
void require_finite_sums(const Beams& beams, std::span<const double> sums) {
  for (std::size_t n = 0; n < sums.size(); ++n) {
    if (beams.rows()[n].alive) require_finite(sums.subspan(n, 1));
  }
}

/// What a search reads of its rows.
struct Searched {
  const SearchInput& input;
  const SearchOptions& options;
  const Trace& trace;
  const ScoredTokens& scored;
};

/// What is scored of each sentence of the batch.
CandidateLists candidates_of(const SearchInput& input, const Shortlist& shortlist) {
  const data::SentenceBatch& source = input.sources.front();
  CandidateLists own;
  for (int64_t s = 0; s < source.size(); ++s) {
    const auto length = source.lengths[s].item<int64_t>();
    const torch::Tensor ids = source.ids[s].narrow(0, 0, length).to(torch::kInt).contiguous();
    const auto* const tokens = ids.data_ptr<int32_t>();
    const std::span<const text::TokenId> prefix =
        input.prefixes.empty() ? std::span<const text::TokenId>()
                               : std::span(input.prefixes[static_cast<std::size_t>(s)]);
    own.push_back(shortlist.candidates({tokens, static_cast<std::size_t>(length)}, prefix));
  }
  return own;
}

/// Has the session score no more than the shortlist, if there is one.
ScoredTokens shorten(StepSession& session, const SearchInput& input, const Shortlist* shortlist) {
  if (shortlist == nullptr) return {};
  const auto is_given = [](const OutputConstraint* constraint) { return constraint != nullptr; };
  if (std::ranges::any_of(input.constraints, is_given))
    throw std::logic_error("constraints are of the whole vocabulary, not of a shortlist");
  CandidateLists own = candidates_of(input, *shortlist);
  session.score_only(join_candidates(own));
  return ScoredTokens(std::move(own));
}

/// Where each row is made to look at this position; undefined: nowhere.
torch::Tensor forced_looks(const Beams& beams, const SearchInput& input, torch::Device device) {
  if (input.looks.empty()) return {};
  std::vector<int64_t> columns;
  for (const Row& row : beams.rows()) {
    const auto& looks = input.looks[static_cast<std::size_t>(row.sentence)];
    const auto found = looks.find(beams.position());
    columns.push_back(found == looks.end() ? -1 : found->second);
  }
  const bool any = std::any_of(columns.begin(), columns.end(), [](int64_t c) { return c >= 0; });
  return any ? torch::tensor(columns, torch::kInt64).to(device) : torch::Tensor();
}

void apply_constraints(const torch::Tensor& logits, const Beams& beams, const Searched& searched) {
  for (std::size_t n = 0; n < beams.rows().size(); ++n) {
    const auto sentence = static_cast<std::size_t>(beams.rows()[n].sentence);
    const OutputConstraint* constraint = searched.input.constraints[sentence];
    if (constraint == nullptr || !beams.rows()[n].alive) continue;
    const auto row = static_cast<int64_t>(n);
    constraint->forbid(searched.trace.tokens({beams.position(), row}), logits[row]);
  }
}

/// Takes from each row the tokens that would make a run of no_repeat_ngram_size stand in it twice.
void forbid_repeats(torch::Tensor& logits, const Beams& beams, const Searched& searched) {
  std::vector<int64_t> places;
  std::vector<Row> rows;
  std::vector<text::TokenId> tokens;
  for (std::size_t n = 0; n < beams.rows().size(); ++n) {
    if (!beams.rows()[n].alive) continue;
    const auto place = static_cast<int64_t>(n);
    const auto output = searched.trace.tokens({beams.position(), place});
    for (const auto token :
         repeating_tokens(output, searched.options.decoding.no_repeat_ngram_size)) {
      places.push_back(place);
      rows.push_back(beams.rows()[n]);
      tokens.push_back(token);
    }
  }
  if (tokens.empty()) return;
  forbid_tokens(logits, places, searched.scored.columns_of(std::move(tokens), rows));
}

RowScores score_rows(Beams& beams, torch::Tensor logits, const Searched& searched) {
  const SearchOptions& options = searched.options;
  const auto sums = log_sums(logits);
  require_finite_sums(beams, sums);
  auto wanted = logits_of(logits, searched.scored.columns_of(beams.wanted(), beams.rows()));
  forbid_special_symbols(logits, options.allow_unknown);
  if (options.decoding.no_repeat_ngram_size > 0) forbid_repeats(logits, beams, searched);
  if (!searched.input.constraints.empty()) apply_constraints(logits, beams, searched);
  auto scores = options.sampling ? draw(logits, beams.draws(), *options.sampling)
                                 : most_probable(logits, options.decoding.beam);
  scores.wanted = std::move(wanted);
  normalize(scores, sums);
  searched.scored.name(scores, beams.rows());
  return scores;
}

std::vector<double> penalties(std::optional<CoveragePenalty>& coverage,
                              const torch::Tensor& weights) {
  if (!coverage) return {};
  if (!weights.defined()) throw std::logic_error("a coverage penalty needs attention");
  coverage->add(weights);
  const auto values = coverage->penalties();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

std::vector<NBest> collect(const Beams& beams, Trace& trace, const data::SentenceBatch& source,
                           int64_t n_best) {
  trace.move_to_cpu();
  std::vector<NBest> results(static_cast<std::size_t>(source.size()));
  for (std::size_t s = 0; s < results.size(); ++s) {
    const auto source_length = source.lengths[static_cast<int64_t>(s)].item<int64_t>();
    for (const auto& ending : beams.endings(s)) {
      if (static_cast<int64_t>(results[s].size()) == n_best) break;
      results[s].push_back(trace.hypothesis(ending, source_length));
    }
  }
  return results;
}

}  // namespace

std::vector<NBest> search(const StepModel& model, const SearchInput& input,
                          const SearchOptions& options, SearchControl* control) {
  validate(options);
  if (input.sources.size() != model.sources())
    throw std::logic_error("one source batch per source vocabulary");
  if (!input.constraints.empty() && std::ssize(input.constraints) != input.sources.front().size())
    throw std::logic_error("one constraint per sentence");
  const c10::InferenceMode no_gradients;
  const auto device = model.device();
  const auto& source = input.sources.front();
  Beams beams(input, options);
  Trace trace(options.keep_attention);
  Moving moving{model.start(input.sources), {}};
  if (options.decoding.coverage_penalty > 0.0) {
    moving.coverage.emplace(source.mask.to(device), options.decoding.coverage_penalty);
  }
  if (!options.keep_attention && !moving.coverage) moving.session->leave_out_attention();
  const ScoredTokens scored = shorten(*moving.session, input, options.shortlist.get());
  while (!beams.finished()) {
    if (control != nullptr && control->is_cancelled()) throw SearchCancelled();
    if (const auto columns = forced_looks(beams, input, device); columns.defined())
      moving.session->look_at(columns);
    const auto scores = moving.session->step(last_tokens(beams, device));
    trace.record(beams.rows(), scores);
    const auto row_scores = score_rows(beams, scores.logits, {input, options, trace, scored});
    const auto old_rows = beams.rows().size();
    beams.advance(row_scores, penalties(moving.coverage, scores.weights));
    if (control != nullptr) control->on_step({beams, trace});
    if (!beams.finished() && !stays_in_place(beams, old_rows)) moving.reorder(beams, device);
  }
  return collect(beams, trace, source, options.n_best);
}

}  // namespace attend::decode
