#include "app/translate/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/terms/line_protection.h"
#include "app/translate/output_terms.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"
#include "decode/search/no_output.h"
#include "text/long_line.h"

namespace attend::app {
namespace {

text::TokenId tag_id(const LoadedModel& model, const std::string& tag) {
  if (data::count_sources(model.experiment.data) > 1) {
    throw UsageError(fmt::format(
        "{} {}: the model in {} reads several sources, but a tag would precede only the "
        "first; leave it out",
        option_name("tag"), tag, model.directory.string()));
  }
  if (const auto id = model.source->find(tag)) return *id;
  const std::vector<std::string> known = data::tags_of(model.experiment.data);
  throw UsageError(fmt::format(
      "{} {}: {} has no such source piece; {}", option_name("tag"), tag, model.directory.string(),
      known.empty() ? "it was trained without tags" : "it was trained with " + join(known)));
}

/// The options with a beam that has places for every number of required phrases that are met.
decode::SearchOptions with_room(decode::SearchOptions options,
                                const std::vector<decode::SearchSentence>& sentences) {
  constexpr int64_t kWidest = 16;
  std::size_t most = 0;
  for (const decode::SearchSentence& sentence : sentences) {
    if (sentence.required != nullptr) most = std::max(most, sentence.required->groups.size());
  }
  int64_t& beam = options.decoding.beam;
  beam = std::max(beam, std::min(kWidest, beam + static_cast<int64_t>(most)));
  return options;
}

/// Passes on that a search is cancelled, but not its steps.
class CancelOnly final : public decode::SearchControl {
 public:
  explicit CancelOnly(decode::SearchControl* control) : control_(control) {}
  bool is_cancelled() override { return control_ != nullptr && control_->is_cancelled(); }

 private:
  decode::SearchControl* control_;
};

}  // namespace

Translator::Translator(const std::vector<LoadedModel>& models,
                       const decode::StepExecution& execution, const std::string& tag,
                       const std::optional<text::ProtectOptions>& protect)
    : models_(models) {
  const text::ProtectOptions& trained = models.front().experiment.data.protect;
  const bool reads_terms = std::ranges::any_of(
      models, [](const LoadedModel& model) { return marks_problem(model).empty(); });
  if (const text::ProtectOptions& options = protect.value_or(trained);
      !options.empty() || !trained.empty() || reads_terms)
    protector_ = std::make_unique<const LineProtector>(models, options);
  if (!tag.empty()) {
    for (const LoadedModel& model : models) tags_.push_back(tag_id(model, tag));
  }
  members_.reserve(models.size());  // the ensemble keeps their addresses
  std::vector<decode::EnsembleMember> ensemble;
  for (const auto& model : models) {
    const auto& member = members_.emplace_back(*model.model, execution);
    ensemble.push_back({&member, same_source_pieces(models.front(), model), model.weight});
  }
  if (models.size() > 1) ensemble_.emplace(std::move(ensemble));
}

Translator::~Translator() = default;

SourceLine Translator::prepare(std::string_view line, int64_t number, const std::string& prefix,
                               std::span<const text::TermMark> terms) const {
  SourceLine source;
  source.number = number;
  source.sentence.random_stream = static_cast<uint64_t>(number);
  const int64_t tag = tags_.empty() ? 0 : 1;
  std::optional<LineProtector::Line> replaced;
  if (protector_) replaced = protector_->protect(line, terms);
  const std::string_view read = replaced ? std::string_view(replaced->replaced.text) : line;
  for (const LoadedModel& model : models_) {
    const int64_t limit = model.experiment.data.max_length;
    SourcePieces pieces = cut_source(model, read, limit - tag, number);
    source.sentence.sources.push_back(pieces.line.ids);
    if (&model == &first()) source.line = std::move(pieces.line);
    if (pieces.dropped <= source.dropped) continue;
    source.limit = limit;
    source.dropped = pieces.dropped;
    source.counted = pieces.counted;
  }
  if (source.dropped > 0 && !terms.empty()) return prepare(line, number, prefix);
  for (auto& ids : source.sentence.sources) ids.push_back(text::kEos);
  for (std::size_t m = 0; m < tags_.size(); ++m)
    source.sentence.sources[m].insert(source.sentence.sources[m].begin(), tags_[m]);
  if (replaced) source.protection = protector_->finish(*replaced, line, source.line);
  const std::string beginning =
      source.protection ? source.protection->with_placeholders(prefix) : prefix;
  // An unknown character is forced as kUnk; detokenization replaces it by the original text.
  for (text::Piece& piece : first().target->encode_pieces(beginning)) {
    source.sentence.prefix.push_back(piece.id);
    if (piece.id == text::kUnk) source.unknown.push_back(std::move(piece.text));
  }
  return source;
}

bool Translator::fits(std::string_view line) const {
  constexpr int64_t kMostBytes = 64;  // per piece; more are not tokenized, to save time
  const int64_t tag = tags_.empty() ? 0 : 1;
  const std::string read = protector_ ? protector_->protect(line).replaced.text : std::string(line);
  return std::ranges::all_of(models_, [&](const LoadedModel& model) {
    const int64_t limit = model.experiment.data.max_length - tag;
    return std::ssize(line) <= limit * kMostBytes &&
           !text::encode_beginning(read, *model.source, limit).cut;
  });
}

std::vector<std::vector<Translation>> Translator::translate(
    const std::vector<const SourceLine*>& lines, const decode::SearchOptions& options,
    decode::SearchControl* control) const {
  std::vector<decode::SearchSentence> sentences;
  for (const auto* line : lines) sentences.push_back(line->sentence);
  std::vector<NBest> results = search(lines, sentences, options, control);
  if (protector_ && !options.sampling) search_again(lines, options, control, results);
  return results;
}

std::vector<utf8::Span> Translator::protected_parts(std::string_view line) const {
  return protector_ ? protector_->parts(line) : std::vector<utf8::Span>();
}

/// Searches the lines again whose translations do not keep the protected texts. A search without an
/// output leaves the translations of its line as they are.
void Translator::search_again(const std::vector<const SourceLine*>& lines,
                              const decode::SearchOptions& options, decode::SearchControl* control,
                              std::vector<NBest>& results) const {
  std::vector<std::size_t> places;
  std::vector<const SourceLine*> again;
  std::vector<decode::SearchSentence> sentences;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::all_of(results[i], &Translation::keeps_protected)) continue;
    places.push_back(i);
    again.push_back(lines[i]);
    sentences.push_back(lines[i]->protection->required_in(lines[i]->sentence));
  }
  CancelOnly cancel(control);
  const decode::SearchOptions wider = with_room(options, sentences);
  while (!places.empty()) {
    try {
      auto found = search(again, sentences, wider, &cancel);
      for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(found[i]);
      return;
    } catch (const decode::NoOutput& error) {
      const auto wrong = static_cast<std::ptrdiff_t>(error.sentence());
      places.erase(places.begin() + wrong);
      again.erase(again.begin() + wrong);
      sentences.erase(sentences.begin() + wrong);
    }
  }
}

std::vector<Translator::NBest> Translator::search(
    const std::vector<const SourceLine*>& lines,
    const std::vector<decode::SearchSentence>& sentences, const decode::SearchOptions& options,
    decode::SearchControl* control) const {
  const decode::StepModel& model =
      ensemble_ ? static_cast<const decode::StepModel&>(*ensemble_) : members_.front();
  std::vector<std::vector<Translation>> results;
  for (const auto& n_best : decode::search(model, sentences, options, control)) {
    const SourceLine& line = *lines[results.size()];
    auto& translations = results.emplace_back();
    for (const auto& hypothesis : n_best) translations.push_back(translation_of(hypothesis, line));
  }
  return results;
}

void Translator::add_maps(const std::vector<const SourceLine*>& lines,
                          std::vector<std::vector<Translation>>& translations,
                          const decode::AttentionKinds& kinds) const {
  if (members_.size() != 1) throw std::logic_error("maps of an ensemble");
  const nn::ExecutionScope scope(members_.front().execution());
  std::size_t most = 0;
  for (const auto& n_best : translations) most = std::max(most, n_best.size());
  for (std::size_t rank = 0; rank < most; ++rank) {
    data::Sentences sources;
    std::vector<std::vector<text::TokenId>> targets;
    std::vector<Translation*> places;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (rank >= translations[i].size()) continue;
      sources.push_back(lines[i]->sentence.sources.front());
      places.push_back(&translations[i][rank]);
      targets.push_back(places.back()->line.ids);
    }
    auto maps = decode::attention_maps(*first().model, data::pad(sources), targets, kinds);
    for (std::size_t i = 0; i < places.size(); ++i) places[i]->maps = std::move(maps[i]);
  }
}

Translation Translator::translation_of(const decode::Hypothesis& hypothesis,
                                       const SourceLine& line) const {
  TokenizedLine written = detokenize_line(*first().target, hypothesis.tokens, line.unknown);
  const bool keeps = line.protection == nullptr || line.protection->restore(written);
  return {.line = std::move(written),
          .finished = hypothesis.finished,
          .keeps_protected = keeps,
          .log_prob = hypothesis.log_prob,
          .score = hypothesis.score,
          .token_log_probs = hypothesis.token_log_probs,
          .attention = hypothesis.attention,
          .heads = hypothesis.heads};
}

}  // namespace attend::app
