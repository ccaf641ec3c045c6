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
          {"description", "draw outputs instead of searching"},
          {"properties",
           {{"temperature", typed("number", "divides log-probabilities")},
            {"top_k", typed("integer", "draw among so many pieces; 0: all")},
            {"top_p", typed("number", "draw among the fewest pieces of this probability")},
            {"seed", typed("integer", "of the random numbers; default: the server's --seed, 1")}}}};
}

json look_fields() {
  return {{"type", "array"},
          {"description", "source pieces that positions of the output attend to"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"position", typed("integer", "of the output, from 0")},
              {"source", typed("integer", "source piece, from 0")}}}}}};
}

json pin_fields() {
  return {{"type", "array"},
          {"description", "pieces that stand at positions of the output"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"position", typed("integer", "of the output, from 0")},
              {"piece", typed("string", "of the model's output")}}}}}};
}

json nearest_fields() {
  return {{"model", typed("string", "name; may be left out where there is one")},
          {"q", typed("string", "a sentence")},
          {"n", typed("integer", "sentences wanted")}};
}

json translate_fields() {
  return {
      {"model", typed("string", "name; may be left out where there is one")},
      {"q", texts("what to translate")},
      {"beam", typed("integer", "hypotheses kept")},
      {"n_best", typed("integer", "translations wanted")},
      {"length_penalty", typed("number", "exponent of the length")},
      {"coverage_penalty", typed("number", "weight of source words that were not attended to")},
      {"max_length_ratio", typed("number", "longest output by source pieces")},
      {"no_repeat_ngram_size",
       typed("integer", "no run of this many pieces twice in a translation; 0: any")},
      {"sample", sample_fields()},
      {"prefix", typed("string", "how translations begin")},
      {"prefix_pieces", texts("the same by pieces")},
      {"forbid",
       texts("words that translations do not contain, in upper or lower case: what has no "
             "letter, mark or digit beside it, as \"shirt\" in \"T-shirt.\"; may hold "
             "punctuation (\"t-shirt\"), but no spaces")},
      {"force_attention", look_fields()},
      {"force_pieces", pin_fields()},
      {"attention", typed("string", "none, piece or word")},
      {"attention_kinds",
       texts("encoder, decoder, cross, encoder_memory and decoder_memory, or all: the attention "
             "of every layer and head")},
      {"alternatives", typed("integer", "most probable pieces by position")},
      {"tree", typed("boolean", "whether to show the beam")},
      {"stream", typed("boolean", "whether to tell steps as server-sent events")}};
}

json libre_fields() {
  return {{"q", texts("what to translate")},
          {"source", typed("string", "language, or auto")},
          {"target", typed("string", "language")},
          {"format", typed("string", "text")},
          {"alternatives", typed("integer", "further translations wanted")},
          {"api_key", typed("string", "not read")}};
}

json pair_fields() {
  return {{"model", typed("string", "name; may be left out where there is one")},
          {"source", typed("string", "a sentence")},
          {"target", typed("string", "its translation")}};
}

json align_fields() {
  json fields = pair_fields();
  fields["method"] = typed("string", "attention, posterior or saliency");
  return fields;
}

json fields_of(const std::string& path) {
  static const std::map<std::string, json (*)()> kFields = {{"/v1/translate", translate_fields},
                                                            {"/translate", libre_fields},
                                                            {"/v1/nearest", nearest_fields},
                                                            {"/v1/score", pair_fields},
                                                            {"/v1/align", align_fields}};
  const auto found = kFields.find(path);
  if (found == kFields.end()) throw std::logic_error("no fields are known of " + path);
  return found->second();
}

json body_of(const std::string& path) {
  const json schema = {{"type", "object"}, {"properties", fields_of(path)}};
  return {{"required", true}, {"content", {{"application/json", {{"schema", schema}}}}}};
}

/// What does not say itself.
const char* answer_of(const std::string& path) {
  if (path == "/v1/translate")
    return "the answer; a source's \"dropped\" counts pieces beyond the model's limit, and "
           "\"dropped_more\" is true where there are more than that, uncounted";
  if (path == "/v1/nearest")
    return "the answer; with status 202 \"done\" and \"total\" while the index is being built";
  if (path == "/v1/runs")
    return "the answer; the \"state\" of a run is training, finished (it came to its end) or "
           "stopped, \"unreadable_lines\" counts lines of its history that training "
           "does not write, which are left out, and \"problem\" says why it was not read to its "
           "end";
  return "the answer";
}

json operation_of(const Route& route) {
  json operation = {{"summary", route.meaning},
                    {"responses",
                     {{"200", {{"description", answer_of(route.path)}}},
                      {"default", {{"description", "an error: its code and a sentence"}}}}}};
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
