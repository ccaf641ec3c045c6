#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/closest_name.h"
#include "core/utf8.h"
#include "server/api/answer_size.h"
#include "server/api/document_text.h"
#include "server/api/handlers.h"
#include "server/api/search_call.h"
#include "server/http/api_error.h"
#include "server/http/json.h"
#include "server/http/multipart.h"
#include "server/http/url.h"
#include "server/search/language_detection.h"

namespace attend::server {
namespace {

using nlohmann::json;

json form_json(const std::map<std::string, std::string>& fields) {
  json body = json::object();
  for (const auto& [name, value] : fields) {
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

json parse_libre(const Request& request) {
  const std::string type = request.header("content-type");
  if (is_media_type(type, "multipart/form-data"))
    return form_json(parse_multipart(type, request.body));
  // A body that begins with { is JSON: curl declares every body as a form by default.
  const bool form =
      is_media_type(type, "application/x-www-form-urlencoded") && !request.body.starts_with('{');
  return form ? form_json(parse_form(request.body)) : parse_object(request.body);
}

/// A LibreTranslate request, converted.
struct LibreRequest {
  TranslateRequest search;
  std::vector<DocumentText> texts;
  bool list = false;                         // "q" was a list
  std::optional<DetectedLanguage> detected;  // if the source language was "auto"
};

/// The texts of a request without tags.
std::vector<std::string> without_tags(const std::vector<std::string>& texts, bool html) {
  if (!html) return texts;
  std::vector<std::string> plain;
  for (const std::string& text : texts) {
    const auto reader = text::make_markup_reader(text::Markup::html);
    for (const CutLine& line : lines_of(text))
      plain.push_back(reader->read(line.cut.line.text).text);
  }
  return plain;
}

/// Detects the language of the texts of a request for "auto", and returns a model that reads it. If
/// no model reads the likeliest language, takes the next one and reports none.
const ServedModel& detect_model(const ServedModels& models, const std::vector<std::string>& texts,
                                const std::string& target, LibreRequest& libre) {
  const auto languages = detect_languages(models, join(texts, "\n"));
  for (const DetectedLanguage& language : languages) {
    const ServedModel* model = models.find_between(language.code, target);
    if (model == nullptr) continue;
    if (&language == &languages.front()) libre.detected = language;
    return *model;
  }
  return models.between("auto", target);
}

LibreRequest parse_libre_request(const json& body, const ServedModels& models) {
  Fields fields(body);
  LibreRequest libre;
  const std::vector<std::string> texts = fields.texts("q");
  libre.list = fields.value("q") != nullptr && fields.value("q")->is_array();
  const std::string source = fields.required_text("source");
  const std::string target = fields.required_text("target");
  const bool html = fields.choice("format", {"text", "html"}) == "html";
  libre.search.model = source == "auto"
                           ? &detect_model(models, without_tags(texts, html), target, libre)
                           : &models.between(source, target);
  if (html)
    libre.search.markup =
        markup_choice(text::Markup::html, libre.search.model->loaded(), "\"format\": \"html\"");
  CutForm form{.sentences = libre.search.model->cutter.get()};
  if (html) form.markup = text::Markup::html;
  for (const std::string& text : texts)
    libre.texts.push_back(cut_text(text, form, libre.search.texts));
  const int64_t alternatives = fields.integer("alternatives", {0, 20}).value_or(0);
  // Other fields are ignored, as LibreTranslate does with unknown fields.
  if (fields.value("q") == nullptr) throw bad_request("\"q\" is missing");
  decode::SearchOptions& options = libre.search.options;
  options.decoding = libre.search.model->loaded().experiment.decoding;
  options.n_best = 1 + alternatives;
  options.decoding.beam = std::max(options.decoding.beam, options.n_best);
  options.keep_attention = libre.search.markup.has_value();
  check_amount(libre.search.texts, options.decoding.beam);
  return libre;
}

TranslatedSentences sentences_of(const SearchCall& call) {
  return {call.lines, call.translations, call.request.markup};
}

json alternatives_of(const DocumentText& text, const SearchCall& call) {
  const TranslatedSentences all = sentences_of(call);
  json alternatives = json::array();
  for (std::size_t rank = 1; rank < count_ranks(text, all); ++rank)
    alternatives.push_back(translation_of(text, all, rank));
  return alternatives;
}

/// A list with a value for each text, or just the value if "q" was not a list.
template <class Make>
json for_each_text(const LibreRequest& libre, const Make& make) {
  json values = json::array();
  for (const DocumentText& text : libre.texts) values.push_back(make(text));
  return libre.list ? values : values.front();
}

/// Adds the number of source pieces beyond the model's limit, if there are any. Only whole lines
/// can have them.
void add_dropped(const LibreRequest& libre, const SearchCall& call, json& answer) {
  const auto sum = [&](const DocumentText& text, const auto& count) {
    int64_t total = 0;
    for (std::size_t i = 0; i < text.sentences; ++i) total += count(call.lines[text.first + i]);
    return total;
  };
  const auto dropped = [](const app::SourceLine& line) { return line.dropped; };
  const auto uncounted = [](const app::SourceLine& line) { return line.counted ? 0 : 1; };
  const auto& lines = call.lines;
  if (std::all_of(lines.begin(), lines.end(),
                  [&](const auto& line) { return dropped(line) + uncounted(line) == 0; }))
    return;
  answer["dropped"] = for_each_text(libre, [&](const auto& text) { return sum(text, dropped); });
  answer["dropped_more"] =
      for_each_text(libre, [&](const auto& text) { return sum(text, uncounted) > 0; });
}

json language_json(const DetectedLanguage& language) {
  return {{"confidence", std::lround(language.confidence)}, {"language", language.code}};
}

json libre_answer(const LibreRequest& libre, const SearchCall& call) {
  json answer;
  answer["translatedText"] = for_each_text(
      libre, [&](const DocumentText& text) { return translation_of(text, sentences_of(call), 0); });
  if (call.request.options.n_best > 1)
    answer["alternatives"] =
        for_each_text(libre, [&](const DocumentText& text) { return alternatives_of(text, call); });
  if (libre.detected)
    answer["detectedLanguage"] = for_each_text(
        libre, [&](const DocumentText& /*text*/) { return language_json(*libre.detected); });
  add_dropped(libre, call, answer);
  return answer;
}

}  // namespace

void libre_translate(const Context& context, const Request& request,
                     const SharedExchange& exchange) {
  const auto libre =
      std::make_shared<LibreRequest>(parse_libre_request(parse_libre(request), context.models));
  if (libre->texts.empty())
    return exchange->respond({.body = dump({{"translatedText", json::array()}})});
  const auto call = std::make_shared<SearchCall>();
  call->request = std::move(libre->search);
  call->client = request.client;
  call->lines = source_lines(call->request);
  check_answer_size(call->request, call->lines);
  search(context, exchange, call, [=](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
      exchange->respond({.body = dump(libre_answer(*libre, *call))});
    } catch (...) {
      exchange->respond(error_response(current_error(), ErrorForm::kText));
    }
  });
}

Response libre_detect(const Context& context, const Request& request) {
  const json body = parse_libre(request);
  Fields fields(body);
  if (fields.value("q") == nullptr) throw bad_request("\"q\" is missing");
  json languages = json::array();
  for (const DetectedLanguage& language :
       detect_languages(context.models, join(fields.texts("q"), "\n")))
    languages.push_back(language_json(language));
  return {.body = dump(languages)};
}

Response libre_languages(const Context& context) {
  std::map<std::string, std::set<std::string>>
      targets;  // by source language, including languages that are only targets
  for (const auto& model : context.models.all()) {
    if (model->source_language.empty() || model->target_language.empty()) continue;
    targets.try_emplace(model->target_language);
    targets[model->source_language].insert(model->target_language);
  }
  json languages = json::array();
  for (const auto& [code, names] : targets)
    languages.push_back({{"code", code}, {"name", code}, {"targets", names}});
  return {.body = dump(languages)};
}

}  // namespace attend::server
