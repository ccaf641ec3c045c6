#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/explain/explain_position.h"
#include "app/explain/pair_attention.h"
#include "core/excerpt.h"
#include "server/api/answer_task.h"
#include "server/api/handlers.h"
#include "server/api/required_terms.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

using nlohmann::json;

constexpr std::size_t kMostSourceBytes = std::size_t{1} << 16;

/// A target piece to explain.
struct ExplainRequest {
  const app::LoadedModel* model = nullptr;
  app::TokenizedLine source;
  std::vector<text::TokenId> prefix;
  text::TokenId piece = text::kEos;
};

/// The source as a translation with this glossary reads it.
app::TokenizedLine parse_source(Fields& fields, const ServedModel& model) {
  const std::string text = fields.required_text("source");
  if (text.size() > kMostSourceBytes)
    throw bad_request(fmt::format("\"source\" exceeds {} bytes", kMostSourceBytes));
  const RequiredTerms terms = parse_required_terms(fields);
  if (!terms.constraints.empty())
    throw bad_request("\"constraints\" change the search, not a prediction; leave it out");
  const TermsSetter setter(terms, model, /*forbidden=*/nullptr);
  app::SourceLine line = model.translator->prepare(text, 1, /*prefix=*/"", setter.marks(text));
  if (line.dropped > 0)
    throw bad_request(
        fmt::format("\"source\" has {}{} pieces, which exceeds the model's limit of {}",
                    line.counted ? "" : "over ", line.limit + line.dropped, line.limit));
  return std::move(line.line);
}

text::TokenId token_of(const text::Tokenizer& tokenizer, const std::string& piece) {
  for (const text::TokenId special : {text::kEos, text::kUnk})
    if (piece == tokenizer.piece(special)) return special;
  if (const auto id = tokenizer.find(piece)) return *id;
  throw bad_request(fmt::format("\"pieces\": the model has no piece \"{}\"", excerpt(piece)));
}

/// Reads the pieces up to the one to explain.
void parse_target(Fields& fields, ExplainRequest& request) {
  const std::vector<std::string> pieces = fields.texts("pieces");
  const int64_t limit = request.model->experiment.data.max_length;
  if (pieces.empty()) throw bad_request("\"pieces\" is missing: the pieces of the translation");
  if (std::ssize(pieces) > limit + 1)
    throw bad_request(
        fmt::format("\"pieces\" has {} entries, which exceeds the model's limit of {} and the end",
                    pieces.size(), limit));
  const int64_t position = fields.integer("position", {0, std::ssize(pieces) - 1}).value_or(0);
  for (int64_t i = 0; i <= position; ++i) {
    const auto token = token_of(*request.model->target, pieces[static_cast<std::size_t>(i)]);
    if (i < position && token == text::kEos)
      throw bad_request("\"pieces\" has \"</s>\" before \"position\"");
    if (i < position) request.prefix.push_back(token);
    request.piece = token;
  }
}

ExplainRequest parse_explain(const json& body, const ServedModels& models) {
  Fields fields(body);
  ExplainRequest request;
  const ServedModel& model = models.named(fields.text("model").value_or(""));
  request.model = &model.loaded();
  app::require_explainable(*request.model);
  request.source = parse_source(fields, model);
  parse_target(fields, request);
  fields.refuse_others();
  return request;
}

json role_json(const app::SourceWordRole& word) {
  json role = {
      {"word", word.name},
      {"attention", word.attention},
      {"saliency", word.saliency},
      {"elsewhere", {{"pieces", word.elsewhere}, {"probability", word.elsewhere_probability}}}};
  role["leave_one_out"] = word.left_out ? json(word.left_out->total_variation) : json();
  role["probability_without"] = word.left_out ? json(word.left_out->decision) : json();
  return role;
}

json explain_answer(const ExplainRequest& request) {
  const app::ExplainedPosition explained =
      app::explain_position(*request.model, request.source, request.prefix, request.piece);
  json words = json::array();
  for (const app::SourceWordRole& word : explained.words) words.push_back(role_json(word));
  return {{"piece", request.model->target->piece(request.piece)},
          {"probability", explained.probability},
          {"words", std::move(words)}};
}

}  // namespace

void explain(const Context& context, const Request& request, const SharedExchange& exchange) {
  const ExplainRequest asked = parse_explain(parse_object(request.body), context.models);
  context.queue.add(answer_task(exchange, [asked] { return explain_answer(asked); }));
}

}  // namespace attend::server
