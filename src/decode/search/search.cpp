#include "decode/search/search.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "data/batch.h"
#include "decode/scoring/candidates.h"
#include "decode/scoring/device_scores.h"
#include "decode/scoring/finite.h"
#include "decode/scoring/penalty.h"
#include "decode/scoring/repeats.h"
#include "decode/scoring/row_scores.h"
#include "decode/scoring/shortlist.h"
#include "decode/search/beams.h"
#include "decode/search/scored_tokens.h"
#include "decode/search/trace.h"
#include "nn/device/copies.h"
#include "nn/execution.h"

namespace attend::decode {
namespace {

/// The inputs of a step, [N] int64 each, copied to the model's device at once.
struct StepInput {
  StepInput(const Beams& beams, const ScoredTokens& scored, torch::Device device)
      : wanted_columns(scored.columns_of(beams.wanted(), beams.rows())) {
    const auto& rows = beams.rows();
    const auto count = static_cast<int64_t>(rows.size());
    torch::Tensor host = torch::empty({3, count}, torch::kInt64);
    auto* const values = host.data_ptr<int64_t>();
    for (int64_t n = 0; n < count; ++n) {
      const auto row = static_cast<std::size_t>(n);
      values[n] = rows[row].token;
      values[count + n] = rows[row].parent;
      values[2 * count + n] = wanted_columns[row];
    }
    host = nn::device::sent(host, device);
    tokens = host[0];
    parents = host[1];
    wanted = host[2];
  }
  torch::Tensor tokens;                       // of the step before
  torch::Tensor parents;                      // rows of the step before
  torch::Tensor wanted;                       // columns of the wanted tokens
  std::vector<text::TokenId> wanted_columns;  // the same on the CPU
};

bool stays_in_place(const Beams& beams, std::size_t old_rows) {
  const auto& rows = beams.rows();
  if (rows.size() != old_rows) return false;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (rows[n].parent != static_cast<int64_t>(n)) return false;
  }
  return true;
}

/// The state that is reordered with the rows of a search.
struct SearchState {
  std::unique_ptr<StepSession> session;
  std::optional<CoveragePenalty> coverage;

  void reorder(const Beams& beams, const torch::Tensor& parents) {
    session->select({parents, beams.same_sentences()});
    if (coverage) coverage->select(parents);
  }
};

/// Checks live rows only. Without the check, a hypothesis that is not finite would be dropped and
/// others would pass for the best.
void require_finite_sums(const Beams& beams, std::span<const double> sums) {
  for (std::size_t n = 0; n < sums.size(); ++n) {
    if (beams.rows()[n].alive) require_finite(sums.subspan(n, 1));
  }
}

/// The inputs for scoring the rows.
struct ScoringInputs {
  std::span<const SearchSentence> sentences;
  const SearchOptions& options;
  const Trace& trace;
  const ScoredTokens& scored;
};

/// One padded batch per source vocabulary.
std::vector<data::SentenceBatch> batches_of(std::span<const SearchSentence> sentences,
                                            std::size_t sources) {
  std::vector<std::vector<std::vector<text::TokenId>>> ids(sources);
  for (const SearchSentence& sentence : sentences) {
    if (sentence.sources.size() != sources)
      throw std::logic_error("expected one source per source vocabulary");
    for (std::size_t i = 0; i < sources; ++i) ids[i].push_back(sentence.sources[i]);
  }
  std::vector<data::SentenceBatch> batches;
  for (const auto& of_vocabulary : ids) batches.push_back(data::pad(of_vocabulary));
  return batches;
}

/// Restricts the session to the shortlist, if there is one.
ScoredTokens shorten(StepSession& session, std::span<const SearchSentence> sentences,
                     const Shortlist* shortlist) {
  if (shortlist == nullptr) return {};
  CandidateLists own;
  for (const SearchSentence& sentence : sentences) {
    std::vector<text::TokenId> output = sentence.prefix;
    if (sentence.required != nullptr) {
      const auto required = sentence.required->tokens();
      output.insert(output.end(), required.begin(), required.end());
    }
    own.push_back(shortlist->candidates(sentence.sources.front(), output));
  }
  session.score_only(join_candidates(own));
  return {std::move(own), shortlist->vocabulary()};
}

/// [N]: the source position that each row must attend to next, -1 if it is free; undefined if all
/// rows are free.
torch::Tensor forced_columns(const Beams& beams, std::span<const SearchSentence> sentences,
                             torch::Device device) {
  std::vector<int64_t> columns;
  for (const Row& row : beams.rows()) {
    const auto& forced = sentences[static_cast<std::size_t>(row.sentence)].forced_attention;
    const auto found = forced.find(beams.position());
    columns.push_back(found == forced.end() ? -1 : found->second);
  }
  const bool any = std::any_of(columns.begin(), columns.end(), [](int64_t c) { return c >= 0; });
  return any ? torch::tensor(columns, torch::kInt64).to(device) : torch::Tensor();
}

/// Tokens of some rows.
struct RowTokens {
  std::vector<int64_t> places;  // row numbers
  std::vector<Row> rows;
  std::vector<text::TokenId> tokens;

  void add(const Beams& beams, std::size_t row, text::TokenId token) {
    places.push_back(static_cast<int64_t>(row));
    rows.push_back(beams.rows()[row]);
    tokens.push_back(token);
  }
};

void apply_constraints(const torch::Tensor& logits, const Beams& beams,
                       const ScoringInputs& inputs) {
  for (std::size_t n = 0; n < beams.rows().size(); ++n) {
    const auto sentence = static_cast<std::size_t>(beams.rows()[n].sentence);
    const OutputConstraint* constraint = inputs.sentences[sentence].constraint.get();
    if (constraint == nullptr || !beams.rows()[n].alive) continue;
    const auto row = static_cast<int64_t>(n);
    const auto output = inputs.trace.tokens({beams.position(), row});
    inputs.scored.edit_whole_row(
        logits[row], beams.rows()[n].sentence,
        [&](const torch::Tensor& whole) { constraint->forbid(output, whole); });
  }
}

/// The scores of the tokens that advance required phrases.
std::vector<std::vector<TokenScore>> extra_scores(const torch::Tensor& logits, const Beams& beams,
                                                  const ScoredTokens& scored) {
  const auto advancing = beams.advancing();
  std::vector<std::vector<TokenScore>> extra(advancing.size());
  RowTokens wanted;
  for (std::size_t n = 0; n < advancing.size(); ++n) {
    for (const auto token : advancing[n]) wanted.add(beams, n, token);
  }
  if (wanted.tokens.empty()) return extra;
  const auto values =
      values_at(logits, wanted.places, scored.columns_of(wanted.tokens, wanted.rows));
  for (std::size_t i = 0; i < values.size(); ++i) {
    extra[static_cast<std::size_t>(wanted.places[i])].push_back({wanted.tokens[i], values[i]});
  }
  return extra;
}

/// Forbids the tokens that would repeat a sequence of no_repeat_ngram_size tokens of the row.
void forbid_repeats(torch::Tensor& logits, const Beams& beams, const ScoringInputs& inputs) {
  RowTokens found;
  for (std::size_t n = 0; n < beams.rows().size(); ++n) {
    if (!beams.rows()[n].alive) continue;
    const auto output = inputs.trace.tokens({beams.position(), static_cast<int64_t>(n)});
    for (const auto token : repeating_tokens(output, inputs.options.decoding.no_repeat_ngram_size))
      found.add(beams, n, token);
  }
  if (found.tokens.empty()) return;
  forbid_tokens(logits, found.places, inputs.scored.columns_of(found.tokens, found.rows));
}

/// Forbids tokens. Returns the scores of required tokens, which no_repeat_ngram_size does not
/// forbid.
std::vector<std::vector<TokenScore>> forbid(torch::Tensor& logits, const Beams& beams,
                                            const ScoringInputs& inputs) {
  forbid_special_symbols(logits, inputs.options.allow_unknown);
  apply_constraints(logits, beams, inputs);
  auto extra = extra_scores(logits, beams, inputs.scored);
  if (inputs.options.decoding.no_repeat_ngram_size > 0) forbid_repeats(logits, beams, inputs);
  return extra;
}

/// score_rows() for logits on a GPU, without draws.
RowScores score_on_device(const Beams& beams, const torch::Tensor& logits, const StepInput& input,
                          const ScoringInputs& inputs) {
  check_columns(logits, input.wanted_columns);
  DeviceScores device(logits, input.wanted);
  auto extra = forbid(device.log_probs(), beams, inputs);
  std::vector<char> alive;
  for (const Row& row : beams.rows()) alive.push_back(row.alive ? 1 : 0);
  RowScores scores = device.take(inputs.options.decoding.beam, alive);
  scores.extra = std::move(extra);
  inputs.scored.to_tokens(scores, beams.rows());
  return scores;
}

RowScores score_rows(Beams& beams, torch::Tensor logits, const StepInput& input,
                     const ScoringInputs& inputs) {
  const SearchOptions& options = inputs.options;
  if (nn::is_on_device(logits) && !options.sampling)
    return score_on_device(beams, logits, input, inputs);
  const auto sums = log_sums(logits);
  require_finite_sums(beams, sums);
  auto wanted = logits_of(logits, input.wanted_columns);
  auto extra = forbid(logits, beams, inputs);
  auto scores = options.sampling ? draw(logits, beams.draws(), *options.sampling)
                                 : most_probable(logits, options.decoding.beam);
  scores.wanted = std::move(wanted);
  scores.extra = std::move(extra);
  normalize(scores, sums);
  inputs.scored.to_tokens(scores, beams.rows());
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

std::vector<NBest> collect(const Beams& beams, Trace& trace,
                           std::span<const SearchSentence> sentences, int64_t n_best) {
  trace.move_to_cpu();
  std::vector<NBest> results(sentences.size());
  for (std::size_t s = 0; s < results.size(); ++s) {
    const int64_t source_length = std::ssize(sentences[s].sources.front());
    for (const auto& ending : beams.endings(s)) {
      if (static_cast<int64_t>(results[s].size()) == n_best) break;
      results[s].push_back(trace.hypothesis(ending, source_length));
    }
  }
  return results;
}

bool has_required(const SearchSentence& sentence) {
  return sentence.required != nullptr;
}

}  // namespace

std::vector<NBest> search(const StepModel& model, std::span<const SearchSentence> sentences,
                          const SearchOptions& options, SearchControl* control) {
  validate(options);
  if (options.sampling && std::any_of(sentences.begin(), sentences.end(), has_required))
    throw std::logic_error("sampling cannot require phrases");
  const c10::InferenceMode no_gradients;
  const auto device = model.device();
  const auto sources = batches_of(sentences, model.sources());
  Beams beams(sentences, options);
  Trace trace(options.keep_attention);
  SearchState state{model.start(sources), {}};
  if (options.decoding.coverage_penalty > 0.0) {
    state.coverage.emplace(sources.front().mask.to(device), options.decoding.coverage_penalty);
  }
  if (!options.keep_attention && !state.coverage) state.session->skip_attention();
  const ScoredTokens scored = shorten(*state.session, sentences, options.shortlist.get());
  StepInput input(beams, scored, device);
  while (!beams.finished()) {
    if (control != nullptr && control->is_cancelled()) throw SearchCancelled();
    if (const auto columns = forced_columns(beams, sentences, device); columns.defined())
      state.session->force_attention(columns);
    const auto scores = state.session->step(input.tokens);
    trace.record(beams.rows(), scores);
    const auto row_scores =
        score_rows(beams, scores.logits, input, {sentences, options, trace, scored});
    const auto old_rows = beams.rows().size();
    beams.advance(row_scores, penalties(state.coverage, scores.weights));
    if (control != nullptr) control->on_step({beams, trace});
    if (beams.finished()) break;
    input = StepInput(beams, scored, device);
    if (!stays_in_place(beams, old_rows)) state.reorder(beams, input.parents);
  }
  return collect(beams, trace, sentences, options.n_best);
}

}  // namespace attend::decode
