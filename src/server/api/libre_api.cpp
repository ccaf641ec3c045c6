#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/closest_name.h"
#include "core/utf8.h"
#include "server/api/answer_size.h"
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

/// A line of a text, cut into the sentences to translate.
struct LibreLine {
  app::FittedLine cut;
  std::string end;  // "\n" or "\r\n"; "" after the last line
};

/// A text of a request, which is translated as a document.
struct LibreText {
  std::size_t first = 0;      // its first sentence in the texts of the search
  std::size_t sentences = 0;  // their number
  std::vector<LibreLine> lines;
};

/// A LibreTranslate request, converted.
struct LibreRequest {
  TranslateRequest search;
  std::vector<LibreText> texts;
  bool list = false;                         // "q" was a list
  std::optional<DetectedLanguage> detected;  // if the source language was "auto"
};

std::vector<LibreLine> lines_of(std::string_view text) {
  std::vector<LibreLine> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::size_t length = end > 0 && text[end - 1] == '\r' ? end - 1 : end;
    lines.push_back({.cut = {.line = {std::string(text.substr(0, length)), {}}},
                     .end = std::string(text.substr(length, end + 1 - length))});
    text.remove_prefix(end + 1);
  }
  lines.push_back({.cut = {.line = {std::string(text), {}}}, .end = ""});
  return lines;
}

/// Adds the sentences of `text` to those of the search. The lines of a model of several sources
/// stay whole. Throws ApiError as soon as there are too many: cutting a long text takes seconds,
/// and other clients would wait for this thread.
LibreText cut_text(std::string_view text, TranslateRequest& search) {
  std::vector<std::string>& sentences = search.texts;
  const app::DocumentCutter* cutter = search.model->cutter.get();
  std::optional<app::MarkupCutter> tags;
  if (search.markup) tags.emplace(search.markup->markup, cutter);
  LibreText cut{.first = sentences.size(), .lines = lines_of(text)};
  for (LibreLine& line : cut.lines) {
    std::string& raw = line.cut.line.text;
    if (tags) {
      line.cut = tags->cut(std::move(raw), kMostTexts + 1);
    } else if (cutter != nullptr) {
      line.cut = cutter->cut(std::move(raw), kMostTexts + 1);
    } else {
      line.cut.line.sentences = {{0, raw.size()}};
    }
    for (std::size_t i = 0; i < line.cut.line.sentences.size(); ++i)
      sentences.emplace_back(line.cut.text(i));
    check_amount(sentences, 1);
  }
  cut.sentences = sentences.size() - cut.first;
  return cut;
}

/// The texts of a request without tags.
std::vector<std::string> without_tags(const std::vector<std::string>& texts, bool html) {
  if (!html) return texts;
  std::vector<std::string> plain;
  for (const std::string& text : texts) {
    const auto reader = text::make_markup_reader(text::Markup::html);
    for (const LibreLine& line : lines_of(text))
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
  for (const std::string& text : texts) libre.texts.push_back(cut_text(text, libre.search));
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

/// Joins translation `rank` (0: the best) of each sentence of a text; a sentence with fewer gives
/// its last.
std::string translation_of(const LibreText& text, const SearchCall& call, std::size_t rank) {
  const auto& markup = call.request.markup;
  std::string joined;
  std::size_t place = text.first;
  for (const LibreLine& line : text.lines) {
    std::vector<std::string> sentences;
    while (sentences.size() < line.cut.line.sentences.size()) {
      const auto& translations = call.translations[place];
      const app::Translation& one = translations[std::min(rank, translations.size() - 1)];
      sentences.push_back(
          app::part_translation(line.cut, sentences.size(), call.lines[place++].line, one, markup));
    }
    joined += app::join_parts(line.cut, sentences, markup) + line.end;
  }
  return joined;
}

json alternatives_of(const LibreText& text, const SearchCall& call) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < text.sentences; ++i)
    most = std::max(most, call.translations[text.first + i].size());
  json alternatives = json::array();
  for (std::size_t rank = 1; rank < most; ++rank)
    alternatives.push_back(translation_of(text, call, rank));
  return alternatives;
}

/// A list with a value for each text, or just the value if "q" was not a list.
template <class Make>
json for_each_text(const LibreRequest& libre, const Make& make) {
  json values = json::array();
  for (const LibreText& text : libre.texts) values.push_back(make(text));
  return libre.list ? values : values.front();
}

/// Adds the number of source pieces beyond the model's limit, if there are any. Only whole lines
/// can have them.
void add_dropped(const LibreRequest& libre, const SearchCall& call, json& answer) {
  const auto sum = [&](const LibreText& text, const auto& count) {
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
  answer["translatedText"] =
      for_each_text(libre, [&](const LibreText& text) { return translation_of(text, call, 0); });
  if (call.request.options.n_best > 1)
    answer["alternatives"] =
        for_each_text(libre, [&](const LibreText& text) { return alternatives_of(text, call); });
  if (libre.detected)
    answer["detectedLanguage"] = for_each_text(
        libre, [&](const LibreText& /*text*/) { return language_json(*libre.detected); });
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
