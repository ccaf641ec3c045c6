#include "server/api/handlers.h"

#include <nlohmann/json.hpp>

#include "core/utf8.h"
#include "server/api/search_call.h"
#include "server/api/translate_answer.h"
#include "server/http/api_error.h"
#include "server/http/json.h"
#include "server/http/url.h"

namespace attend::server {
namespace {

using nlohmann::json;

/// Sends the most probable hypothesis after each step.
class StepEvents final : public decode::SearchControl {
 public:
  StepEvents(const text::Tokenizer& tokenizer, SharedExchange exchange)
      : tokenizer_(tokenizer), exchange_(std::move(exchange)) {}

  bool is_cancelled() override { return exchange_->is_abandoned(); }
  void on_step(const decode::SearchStep& step) override {
    const auto live = step.live();
    if (live.empty()) return;
    exchange_->send_event("step", dump({{"position", step.position()},
                                        {"text", tokenizer_.decode(live.front().tokens)}}));
  }

 private:
  const text::Tokenizer& tokenizer_;
  SharedExchange exchange_;
};

Response json_response(const json& body) {
  return {.body = dump(body)};
}

void send(const SearchCall& call, Exchange& exchange, const Response& response) {
  if (!call.request.stream) return exchange.respond(response);
  exchange.send_event(response.status == 200 ? "done" : "error", response.body);
  exchange.finish_events(response.status);
}

/// Answers with `body()`, or with the error.
void answer(const SearchCall& call, Exchange& exchange, std::exception_ptr error,
            const std::function<json()>& body) {
  try {
    if (error) std::rethrow_exception(error);
    send(call, exchange, json_response(body()));
  } catch (...) {
    send(call, exchange, error_response(current_error()));
  }
}

json parse_libre(const Request& request) {
  // curl declares every body as a form by default.
  const bool form =
      request.header("content-type").starts_with("application/x-www-form-urlencoded") &&
      !request.body.starts_with('{');
  if (!form) return parse_object(request.body);
  json body = json::object();
  for (const auto& [name, value] : parse_form(request.body)) {
    if (!utf8::is_valid(name) || !utf8::is_valid(value))
      throw bad_request("the form is not well-formed UTF-8");
    body[name] = value;
  }
  if (body.contains("alternatives")) {
    const json number = json::parse(body["alternatives"].get<std::string>(), nullptr, false);
    body["alternatives"] = number.is_discarded() ? json("") : number;
  }
  return body;
}

/// A LibreTranslate request, converted.
struct LibreRequest {
  TranslateRequest search;
  bool list = false;  // "q" was a list
  int64_t alternatives = 0;
};

LibreRequest parse_libre_request(const json& body, const ServedModels& models) {
  Fields fields(body);
  LibreRequest libre;
  libre.search.texts = texts_to_translate(fields);
  libre.list = fields.value("q") != nullptr && fields.value("q")->is_array();
  libre.search.model =
      &models.between(fields.required_text("source"), fields.required_text("target"));
  if (fields.choice("format", {"text", "html"}) == "html")
    throw bad_request("\"format\": \"html\" is not supported; send plain text");
  libre.alternatives = fields.integer("alternatives", {0, 20}).value_or(0);
  // Other fields are ignored, as LibreTranslate does with unknown fields.
  if (fields.value("q") == nullptr) throw bad_request("\"q\" is missing");
  decode::SearchOptions& options = libre.search.options;
  options.decoding = libre.search.model->loaded().experiment.decoding;
  options.n_best = 1 + libre.alternatives;
  options.decoding.beam = std::max(options.decoding.beam, options.n_best);
  options.keep_attention = false;
  check_amount(libre.search.texts, options.decoding.beam);
  return libre;
}

json libre_answer(const SearchCall& call, bool list, bool alternatives, bool detected) {
  json texts = json::array(), others = json::array(), languages = json::array();
  for (const auto& translations : call.translations) {
    texts.push_back(translations.front().line.text);
    json rest = json::array();
    for (std::size_t i = 1; i < translations.size(); ++i) rest.push_back(translations[i].line.text);
    others.push_back(std::move(rest));
    languages.push_back({{"confidence", 100}, {"language", call.request.model->source_language}});
  }
  json answer = {{"translatedText", list ? texts : texts.front()}};
  if (alternatives) answer["alternatives"] = list ? others : others.front();
  if (detected) answer["detectedLanguage"] = list ? languages : languages.front();
  return answer;
}

}  // namespace

void translate(const Context& context, const Request& request, const SharedExchange& exchange) {
  const auto call = std::make_shared<SearchCall>();
  call->request = parse_translate_request(parse_object(request.body), context.models, context.seed);
  call->lines = source_lines(call->request);
  if (call->request.stream)
    call->steps = std::make_unique<StepEvents>(*call->request.model->loaded().target, exchange);
  search(context, exchange, call, [call, exchange](std::exception_ptr error) {
    answer(*call, *exchange, error, [&] {
      return translate_answer(call->request, call->lines, call->translations,
                              call->tree ? &*call->tree : nullptr);
    });
  });
}

void libre_translate(const Context& context, const Request& request,
                     const SharedExchange& exchange) {
  const json body = parse_libre(request);
  LibreRequest libre = parse_libre_request(body, context.models);
  const bool detected = body.value("source", "") == "auto";
  const auto call = std::make_shared<SearchCall>();
  call->request = std::move(libre.search);
  call->lines = source_lines(call->request);
  if (call->lines.empty())
    return exchange->respond(json_response({{"translatedText", json::array()}}));
  const bool list = libre.list, alternatives = libre.alternatives > 0;
  search(context, exchange, call, [=](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
      exchange->respond(json_response(libre_answer(*call, list, alternatives, detected)));
    } catch (...) {
      exchange->respond(error_response(current_error(), ErrorForm::kText));
    }
  });
}

Response libre_languages(const Context& context) {
  json languages = json::array();
  std::map<std::string, json>
      targets;  // by source language, including languages that are only targets
  for (const auto& model : context.models.all()) {
    if (model->source_language.empty() || model->target_language.empty()) continue;
    targets.try_emplace(model->target_language, json::array());
    targets.try_emplace(model->source_language, json::array())
        .first->second.push_back(model->target_language);
  }
  for (const auto& [code, names] : targets)
    languages.push_back({{"code", code}, {"name", code}, {"targets", names}});
  return json_response(languages);
}

}  // namespace attend::server
