#include "server/api/translate_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/align/alignment_method.h"
#include "app/terms/forbidden_words.h"
#include "app/terms/line_protection.h"
#include "app/translate/search_overrides.h"
#include "core/excerpt.h"
#include "server/api/kinds_json.h"
#include "server/api/pinned_pieces.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

constexpr std::size_t kMostPrefix = 4096;  // bytes
constexpr int64_t kMostPieces = 100;       // of a prefix; also the number of forbidden words
constexpr int64_t kMostKindTexts = 100;    // translations with the attention of every head

void parse_search(Fields& fields, TranslateRequest& request) {
  app::SearchOverrides overrides;
  overrides.beam = fields.integer("beam", {1, 100});
  overrides.length_penalty = fields.number("length_penalty", {-10.0, 10.0});
  overrides.coverage_penalty = fields.number("coverage_penalty", {0.0, 10.0});
  overrides.max_length_ratio = fields.number("max_length_ratio", {0.0, 10.0});
  overrides.no_repeat_ngram_size = fields.integer("no_repeat_ngram_size", {0, 100});
  request.options.decoding = app::decoding_options(overrides, request.model->loaded());
  request.options.n_best = fields.integer("n_best", {1, 100}).value_or(1);
}

void parse_sampling(Fields& fields, uint64_t seed, TranslateRequest& request) {
  const nlohmann::json* given = fields.value("sample");
  if (given == nullptr) return;
  Fields sample(*given, "sample.");
  decode::SamplingOptions options;
  options.temperature = sample.number("temperature", {1e-3, 1e3}).value_or(options.temperature);
  options.top_k = sample.integer("top_k", {0, 1'000'000}).value_or(options.top_k);
  options.top_p = sample.number("top_p", {1e-6, 1.0}).value_or(options.top_p);
  const auto given_seed = sample.integer("seed", {0, int64_t{1} << 53});
  options.seed = given_seed ? static_cast<uint64_t>(*given_seed) : seed;
  sample.refuse_others();
  request.options.sampling = options;
}

void check_reading_order(const TranslateRequest& request) {
  if (request.model->loaded().target->order() == text::PieceOrder::kReversed)
    throw bad_request("\"forbid\" does not work with models with reversed output");
}

void parse_interventions(Fields& fields, TranslateRequest& request) {
  request.prefix = fields.text("prefix").value_or("");
  request.prefix_pieces = fields.texts("prefix_pieces");
  request.forbidden = fields.texts("forbid");
  request.required = parse_required_terms(fields);
  if (request.prefix.size() > kMostPrefix)
    throw bad_request(fmt::format("\"prefix\" exceeds {} bytes", kMostPrefix));
  if (!request.prefix.empty() && !request.prefix_pieces.empty())
    throw bad_request("give \"prefix\" or \"prefix_pieces\", not both");
  if (!request.prefix.empty()) app::require_reading_order(request.model->loaded(), "\"prefix\"");
  if (!request.forbidden.empty()) check_reading_order(request);
  for (const std::string& word : request.forbidden) {
    const std::string problem = app::ForbiddenWords::problem(*request.model->loaded().target, word);
    if (!problem.empty())
      throw bad_request(
          fmt::format("\"forbid\": \"{}\" {}; expected one word", excerpt(word), problem));
  }
  for (const auto* list : {&request.prefix_pieces, &request.forbidden}) {
    if (std::ssize(*list) > kMostPieces)
      throw bad_request(
          fmt::format("\"prefix_pieces\" and \"forbid\" may have at most {} entries", kMostPieces));
  }
}

void parse_forced_attention(Fields& fields, TranslateRequest& request) {
  const nlohmann::json* list = fields.value("force_attention");
  if (list == nullptr) return;
  if (!list->is_array()) throw bad_request("\"force_attention\" must be a list");
  for (const nlohmann::json& one : *list) {
    Fields forced(one, "force_attention.");
    const auto position = forced.integer("position", {0, 10'000});
    const auto source = forced.integer("source", {0, 10'000});
    forced.refuse_others();
    if (!position || !source)
      throw bad_request(
          "\"force_attention\" must be a list of objects with \"position\" and \"source\"");
    request.forced_attention[*position] = *source;
  }
  const app::LoadedModel& model = request.model->loaded();
  app::require_attention(model, "\"force_attention\"");
  if (model.experiment.model.attention.scope != nn::ScopeKind::global)
    throw bad_request("\"force_attention\" needs a model with model.attention.scope: global");
}

text::TokenId piece_id(const text::Tokenizer& tokenizer, const std::string& field,
                       const std::string& piece) {
  if (const auto id = tokenizer.find(piece)) return *id;
  throw bad_request(fmt::format("\"{}\": the model has no piece \"{}\"", field, excerpt(piece)));
}

void parse_pins(Fields& fields, TranslateRequest& request) {
  const nlohmann::json* list = fields.value("force_pieces");
  if (list == nullptr) return;
  if (!list->is_array()) throw bad_request("\"force_pieces\" must be a list");
  const app::LoadedModel& model = request.model->loaded();
  app::require_reading_order(model, "\"force_pieces\"");
  for (const nlohmann::json& one : *list) {
    Fields pin(one, "force_pieces.");
    const auto position = pin.integer("position", {0, model.experiment.data.max_length - 1});
    const auto piece = pin.text("piece");
    pin.refuse_others();
    if (!position || !piece)
      throw bad_request(
          "\"force_pieces\" must be a list of objects with \"position\" and \"piece\"");
    const text::TokenId id = piece_id(*model.target, "force_pieces", *piece);
    if (request.pins.try_emplace(*position, id).first->second != id)
      throw bad_request(fmt::format("\"force_pieces\" has two pieces for position {}", *position));
  }
}

/// Adds the pins after the prefix to the constraint. Pins inside the prefix must agree with it.
void add_pins(const TranslateRequest& request, app::SourceLine& line) {
  auto pins = request.pins;
  while (!pins.empty() && pins.begin()->first < std::ssize(line.sentence.prefix)) {
    const auto [position, piece] = *pins.begin();
    if (line.sentence.prefix[static_cast<std::size_t>(position)] != piece)
      throw bad_request(fmt::format(
          "\"force_pieces\": position {} is in the prefix, which has another piece there",
          position));
    pins.erase(pins.begin());
  }
  if (pins.empty()) return;
  if (!request.prefix_pieces.empty() && request.prefix_pieces.back() == "</s>")
    throw bad_request(
        fmt::format("\"force_pieces\": \"prefix_pieces\" ends the translation before position {}",
                    pins.begin()->first));
  line.sentence.constraint =
      std::make_shared<PinnedPieces>(std::move(pins), line.sentence.constraint);
}

/// Throws ApiError for a prefix that no translation of the line can have.
void check_prefix(const std::string& prefix, const app::SourceLine& line) {
  const std::string problem = line.protection == nullptr ? "" : line.protection->problem(prefix);
  if (!problem.empty())
    throw bad_request(fmt::format("\"prefix\": \"{}\" {}", excerpt(prefix), problem));
}

/// Throws ApiError for a position after the source's end symbol, which follows the pieces.
void check_forced_attention(const TranslateRequest& request, const app::SourceLine& line) {
  for (const auto& [position, source] : request.forced_attention) {
    if (source <= std::ssize(line.line.pieces)) continue;
    throw bad_request(fmt::format("\"force_attention\": the source has pieces 0 to {}, not {}",
                                  line.line.pieces.size(), source));
  }
}

void parse_outputs(Fields& fields, TranslateRequest& request) {
  const std::string level = fields.choice("attention", {"none", "piece", "word"}).value_or("none");
  if (level != "none") request.attention = align::parse_level(level);
  request.options.keep_attention = request.attention.has_value();
  request.kinds = parse_kinds(fields.texts("attention_kinds"), request.model->loaded());
  request.alternatives = fields.integer("alternatives", {0, 50}).value_or(0);
  if (fields.flag("copy_unknown").value_or(false)) {
    app::require_attention(request.model->loaded(), "\"copy_unknown\"");
    request.copy_unknown = app::attention_links(request.model->loaded());
    request.options.keep_attention = true;
    request.options.allow_unknown = true;
  }
  request.tree = fields.flag("tree").value_or(false);
  request.stream = fields.flag("stream").value_or(false);
}

/// Refuses fields that apply to a single search, because a text that is cut may need several.
void refuse_with_parts(const TranslateRequest& request) {
  const bool per_search = request.attention || request.alternatives > 0 || request.tree ||
                          (request.stream && !request.document) || !request.prefix.empty() ||
                          !request.prefix_pieces.empty() || !request.forced_attention.empty() ||
                          !request.pins.empty();
  if (per_search)
    throw bad_request(fmt::format(
        "\"{}\" cuts texts into parts, so it excludes \"attention\", "
        "\"alternatives\", \"tree\", {}\"prefix\", \"prefix_pieces\", "
        "\"force_attention\" and \"force_pieces\"",
        request.document ? "document" : "markup", request.document ? "" : "\"stream\", "));
}

/// Cuts the texts of a request with markup into the texts between tags, and documents into
/// sentences. Only documents have several lines.
void parse_parts(Fields& fields, TranslateRequest& request) {
  const auto names = enum_names<text::Markup>();
  const auto name = fields.choice("markup", {names.begin(), names.end()});
  request.document = fields.flag("document").value_or(false);
  if (!name && !request.document) return;
  refuse_with_parts(request);
  const app::LoadedModel& model = request.model->loaded();
  CutForm form;
  if (name) {
    form.markup = enum_value<text::Markup>(*name);
    request.markup = markup_choice(*form.markup, model, "\"markup\"");
    request.options.keep_attention = true;
  }
  if (request.document) {
    app::require_one_source(model, "\"document\"");
    form.sentences = request.model->cutter.get();
    request.texts = fields.texts("q");
  }
  for (const std::string& text : std::exchange(request.texts, {})) {
    request.documents.push_back(cut_text(text, form, request.texts));
    const std::size_t parts = request.documents.back().sentences;
    if (parts > 1 && !request.required.constraints.empty())
      throw bad_request(
          fmt::format("\"constraints\": a text is cut into {} parts; send them as texts", parts));
  }
}

void check(const TranslateRequest& request) {
  if (request.texts.empty() && request.documents.empty()) throw bad_request("\"q\" is missing");
  check_amount(request.texts, std::max(request.options.n_best, request.options.decoding.beam));
  if (request.tree && request.options.sampling)
    throw bad_request("\"tree\" and \"sample\" exclude each other: sampling has no beam");
  if (request.required.needs_search() && request.options.sampling)
    throw bad_request(
        "\"sample\" draws outputs without a search, so it excludes \"constraints\" and "
        "\"glossary\"");
  const std::size_t texts = request.document ? request.documents.size() : request.texts.size();
  if ((request.tree || request.stream) && texts > 1)
    throw bad_request("\"tree\" and \"stream\" allow only one text");
  if (request.kinds.any() && !request.attention)
    throw bad_request("\"attention_kinds\" needs \"attention\": \"piece\" or \"word\"");
  if (request.kinds.any() && std::ssize(request.texts) * request.options.n_best > kMostKindTexts)
    throw bad_request(
        fmt::format("\"attention_kinds\" allows at most {} translations; send fewer "
                    "texts or reduce \"n_best\"",
                    kMostKindTexts));
  if (request.kinds.any() && !request.forced_attention.empty())
    throw bad_request(
        "\"attention_kinds\" and \"force_attention\" exclude each other: the layers "
        "are computed without forced attention");
  decode::validate(request.options);
}

/// Allows only the end after a prefix of `tokens` tokens.
class EndsAfter final : public decode::OutputConstraint {
 public:
  explicit EndsAfter(std::size_t tokens) : tokens_(tokens) {}
  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override {
    if (tokens.size() < tokens_) return;
    const torch::Tensor end = row[text::kEos].clone();
    row.fill_(-std::numeric_limits<double>::infinity());
    row[text::kEos].copy_(end);
  }

 private:
  std::size_t tokens_;
};

/// Adds the pieces of a prefix. If the last one is "</s>", the translation ends there.
void add_pieces(const std::vector<std::string>& pieces, const text::Tokenizer& tokenizer,
                app::SourceLine& line) {
  for (const std::string& piece : pieces) {
    if (&piece == &pieces.back() && piece == "</s>") {
      line.sentence.constraint = std::make_shared<EndsAfter>(line.sentence.prefix.size());
    } else {
      line.sentence.prefix.push_back(piece_id(tokenizer, "prefix_pieces", piece));
    }
  }
}

}  // namespace

app::MarkupChoice markup_choice(text::Markup markup, const app::LoadedModel& model,
                                const std::string& field) {
  app::require_one_source(model, field);
  app::require_attention(model, field);
  return {.markup = markup, .links = app::attention_links(model)};
}

void check_amount(const std::vector<std::string>& texts, int64_t hypotheses) {
  constexpr int64_t kMostHypotheses = 20'000;  // of all texts; an answer holds them in memory
  if (std::ssize(texts) > kMostTexts)
    throw bad_request(
        fmt::format("\"q\" has more than {} texts or sentences; split the request", kMostTexts));
  if (std::ssize(texts) * hypotheses > kMostHypotheses)
    throw bad_request(
        fmt::format("too many hypotheses: texts times beam may be at most {}; split the request",
                    kMostHypotheses));
}

std::vector<std::string> texts_to_translate(Fields& fields) {
  std::vector<std::string> texts = fields.texts("q");
  for (std::string& text : texts) std::replace(text.begin(), text.end(), '\n', ' ');
  return texts;
}

TranslateRequest parse_translate_request(const nlohmann::json& body, const ServedModels& models,
                                         uint64_t seed) {
  Fields fields(body);
  TranslateRequest request;
  request.model = &models.named(fields.text("model").value_or(""));
  request.texts = texts_to_translate(fields);
  parse_search(fields, request);
  parse_sampling(fields, seed, request);
  parse_interventions(fields, request);
  parse_forced_attention(fields, request);
  parse_pins(fields, request);
  parse_outputs(fields, request);
  parse_parts(fields, request);
  fields.refuse_others();
  check(request);
  return request;
}

std::vector<app::SourceLine> source_lines(const TranslateRequest& request) {
  const text::Tokenizer& target = *request.model->loaded().target;
  std::shared_ptr<const app::ForbiddenWords> forbidden;
  if (!request.forbidden.empty())
    forbidden = std::make_shared<const app::ForbiddenWords>(request.model->loaded().target,
                                                            request.forbidden);
  TermsSetter terms(request.required, *request.model, forbidden);
  std::vector<app::SourceLine> lines;
  for (const std::string& text : request.texts) {
    lines.push_back(request.model->translator->prepare(text, std::ssize(lines) + 1, request.prefix,
                                                       terms.marks(text)));
    if (std::ssize(lines.back().sentence.prefix) >
        request.model->loaded().experiment.data.max_length)
      throw bad_request("\"prefix\" has more pieces than data.max_length");
    check_prefix(request.prefix, lines.back());
    lines.back().sentence.constraint = forbidden;
    check_forced_attention(request, lines.back());
    lines.back().sentence.forced_attention = request.forced_attention;
    add_pieces(request.prefix_pieces, target, lines.back());
    add_pins(request, lines.back());
    if (!request.options.sampling) terms.require(text, lines.back());
  }
  return lines;
}

}  // namespace attend::server
