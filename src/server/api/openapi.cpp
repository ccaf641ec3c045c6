#include "server/api/routes.h"

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "server/http/json.h"

namespace attend::server {
namespace {

using nlohmann::json;

json typed(const char* type, const char* meaning) {
  return {{"type", type}, {"description", meaning}};
}

json texts(const char* meaning) {
  return {{"oneOf", json::array({{{"type", "string"}},
                                 {{"type", "array"}, {"items", {{"type", "string"}}}}})},
          {"description", meaning}};
}

json sample_fields() {
  return {{"type", "object"},
          {"description", "sample outputs instead of searching"},
          {"properties",
           {{"temperature", typed("number", "divisor of the log-probabilities")},
            {"top_k", typed("integer", "sample from this many most probable pieces; 0: all")},
            {"top_p", typed("number", "sample from the fewest pieces with this total probability")},
            {"seed", typed("integer", "seed of the sampling; default: the server's --seed, 1")}}}};
}

json forced_attention_fields() {
  return {{"type", "array"},
          {"description", "forced attention: source pieces for positions of the output"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"position", typed("integer", "position in the output, from 0")},
              {"source", typed("integer", "index of the source piece, from 0")}}}}}};
}

json pin_fields() {
  return {{"type", "array"},
          {"description", "pieces pinned to positions of the output"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"position", typed("integer", "position in the output, from 0")},
              {"piece", typed("string", "piece of the model's target vocabulary")}}}}}};
}

json glossary_field() {
  return {{"type", "object"},
          {"description",
           "source terms with their translations; where a term occurs in the text, the translation "
           "must contain one of them. It adds to the model's glossary"},
          {"additionalProperties", texts("a translation, or alternatives")}};
}

json glossary_mode_field() {
  return typed("string",
               "hard: the search must find the translations of terms; soft: the model reads them, "
               "for models trained with data.terms; both");
}

json nearest_fields() {
  return {{"model", typed("string", "name; optional if there is one model")},
          {"q", typed("string", "a sentence")},
          {"n", typed("integer", "number of sentences")}};
}

json translate_fields() {
  return {
      {"model", typed("string", "name; optional if there is one model")},
      {"q", texts("text to translate")},
      {"markup", typed("string", "markup of the text, whose tags are kept: xml, html or markdown")},
      {"document",
       typed("boolean",
             "cut the texts into sentences, and keep their lines, indentation and list markers")},
      {"beam", typed("integer", "beam size")},
      {"n_best", typed("integer", "number of translations")},
      {"length_penalty", typed("number", "exponent of the length")},
      {"coverage_penalty",
       typed("number", "weight of the penalty for source words that received no attention")},
      {"max_length_ratio", typed("number", "longest output relative to the source pieces")},
      {"no_repeat_ngram_size", typed("integer", "forbid repeating this many pieces; 0: allow")},
      {"sample", sample_fields()},
      {"prefix", typed("string", "text that translations begin with")},
      {"prefix_pieces", texts("the prefix as pieces")},
      {"forbid",
       texts("words that translations must not contain, ignoring case. A word ends at every "
             "character that is not a letter, mark or digit (\"shirt\" in \"T-shirt.\"). "
             "Punctuation is allowed (\"t-shirt\"), spaces are not")},
      {"copy_unknown",
       typed("boolean", "copy characters that the vocabulary lacks from the linked source words")},
      {"constraints",
       {{"type", "array"},
        {"description",
         "phrases that each translation must contain; a list inside the list holds alternatives "
         "([\"a\", [\"b\", \"or c\"]])"},
        {"items", texts("a phrase, or alternatives")}}},
      {"glossary", glossary_field()},
      {"glossary_mode", glossary_mode_field()},
      {"force_attention", forced_attention_fields()},
      {"force_pieces", pin_fields()},
      {"attention", typed("string", "none, piece or word")},
      {"attention_kinds",
       texts("attention of every layer and head: encoder, decoder, cross, encoder_memory, "
             "decoder_memory or all")},
      {"alternatives", typed("integer", "number of most probable pieces per position")},
      {"tree", typed("boolean", "return the beam")},
      {"stream", typed("boolean",
                       "stream the steps of the search, or the sentences of a document, as "
                       "server-sent events")}};
}

json libre_fields() {
  return {{"q", texts("text to translate, line by line")},
          {"source", typed("string", "language, or auto")},
          {"target", typed("string", "language")},
          {"format", typed("string", "text, or html, whose tags are kept")},
          {"alternatives", typed("integer", "number of further translations")},
          {"api_key", typed("string", "ignored")}};
}

json detect_fields() {
  return {{"q", texts("text")}, {"api_key", typed("string", "ignored")}};
}

json pair_fields() {
  return {{"model", typed("string", "name; optional if there is one model")},
          {"source", typed("string", "a sentence")},
          {"target", typed("string", "its translation")}};
}

json align_fields() {
  json fields = pair_fields();
  fields["method"] = typed("string", "attention, posterior, saliency, contributions or alti");
  return fields;
}

json explain_fields() {
  return {{"model", typed("string", "name; optional if there is one model")},
          {"source", typed("string", "a sentence")},
          {"glossary", glossary_field()},
          {"glossary_mode", glossary_mode_field()},
          {"pieces", texts("the pieces of its translation, or those up to the explained one; "
                           "\"</s>\" is the end")},
          {"position", typed("integer", "the explained piece, from 0")}};
}

json fields_of(const std::string& path) {
  static const std::map<std::string, json (*)()> kFields = {
      {"/v1/translate", translate_fields}, {"/translate", libre_fields},
      {"/detect", detect_fields},          {"/v1/nearest", nearest_fields},
      {"/v1/score", pair_fields},          {"/v1/align", align_fields},
      {"/v1/explain", explain_fields}};
  const auto found = kFields.find(path);
  if (found == kFields.end()) throw std::logic_error("openapi: unknown fields of " + path);
  return found->second();
}

json body_of(const std::string& path) {
  const json schema = {{"type", "object"}, {"properties", fields_of(path)}};
  return {{"required", true}, {"content", {{"application/json", {{"schema", schema}}}}}};
}

/// Describes the answer at `path`.
const char* answer_of(const std::string& path) {
  if (path == "/v1/translate")
    return "the answer; \"dropped\" counts source pieces beyond the model's limit, and "
           "\"dropped_more\" is true if there are more, uncounted pieces";
  if (path == "/translate")
    return "the answer; \"dropped\" and \"dropped_more\", as in /v1/translate, if a line "
           "exceeds the limit of a model of several sources";
  if (path == "/detect")
    return "languages of the models, likeliest first, with \"confidence\" from 0 to 100; [] if the "
           "text is like the training text of none";
  if (path == "/v1/explain")
    return "the probability of the piece, and for each source word its attention, its saliency "
           "(share of the absolute gradient times embedding), leave_one_out (total variation of "
           "the prediction when the word is deleted) with the piece's probability then, and the "
           "pieces written if all attention at that position is on the word, with their "
           "probability";
  if (path == "/v1/nearest")
    return "the answer; status 202 with \"done\" and \"total\" while the index is being built";
  if (path == "/v1/runs")
    return "the answer; the \"state\" of a run is training, finished or stopped, "
           "\"unreadable_lines\" counts skipped lines of its history, and \"problem\" is the error "
           "that stopped reading it";
  return "the answer";
}

json operation_of(const Route& route) {
  json operation = {{"summary", route.meaning},
                    {"responses",
                     {{"200", {{"description", answer_of(route.path)}}},
                      {"default", {{"description", "an error: code and message"}}}}}};
  if (route.method == "POST") operation["requestBody"] = body_of(route.path);
  if (route.path.ends_with("/*")) {
    operation["parameters"] = json::array(
        {{{"name", "name"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}}});
  }
  return operation;
}

std::string described_path(const std::string& path) {
  return path.ends_with("/*") ? path.substr(0, path.size() - 1) + "{name}" : path;
}

}  // namespace

std::string openapi(const std::vector<Route>& routes) {
  json paths = json::object();
  for (const Route& route : routes) {
    const std::string method = route.method == "GET" ? "get" : "post";
    paths[described_path(route.path)][method] = operation_of(route);
  }
  return dump({{"openapi", "3.0.3"},
               {"info", {{"title", "attend serve"}, {"version", "1"}}},
               {"paths", std::move(paths)}});
}

}  // namespace attend::server
