#include "draw/attention_page.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "draw/escape_html.h"
#include "draw/page_files.h"
#include "draw/page_weights.h"

namespace attend::draw {
namespace {

using Json = nlohmann::ordered_json;

// JSON for a <script> element. Escapes "<", which could end the element or open a comment, and
// U+2028 and U+2029, which end lines in older JavaScript.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i, 3);
    if (text[i] == '<') {
      safe += "\\u003c";
    } else if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") {
      safe += rest.back() == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += text[i];
    }
  }
  return safe;
}

void check_groups(const align::WordGroups& groups, std::size_t tokens, bool end, const char* side) {
  bool fits = groups.group_of.size() == tokens && groups.end == end;
  for (const std::size_t group : groups.group_of) fits = fits && group < groups.names.size();
  if (fits) return;
  throw std::logic_error(
      fmt::format("AttentionPage: words of the {} side do not fit {} tokens", side, tokens));
}

void check_kind(const align::AttentionKind& kind, const PageReading& reading) {
  for (const align::AttentionMatrix& layer : kind.layers) layer.check();
  kind.rollout.check();
  if (kind.layers.empty()) throw std::logic_error("AttentionPage: a kind has no layers");
  const align::AttentionMatrix& layer = kind.layers.front();
  if (kind.name == "decoder" && reading.words)
    check_groups(reading.words->input, layer.source.size(), layer.source_end, "input");
}

void check(const PageSentence& sentence) {
  if (sentence.readings.empty() || sentence.readings.size() > 2)
    throw std::logic_error("AttentionPage: a sentence must have one or two readings");
  for (const PageReading& reading : sentence.readings) {
    const align::AttentionMatrix& matrix = reading.matrix;
    matrix.check();
    for (const align::AttentionKind& kind : reading.kinds) check_kind(kind, reading);
    if (!reading.words) continue;
    check_groups(reading.words->source, matrix.source.size(), matrix.source_end, "source");
    check_groups(reading.words->target, matrix.target.size(), matrix.target_end, "target");
  }
}

Json links_json(const align::Links& links) {
  Json pairs = Json::array();
  for (const align::Link& link : links) pairs.push_back({link.source, link.target});
  return pairs;
}

Json gold_json(const align::GoldLinks& gold) {
  return {{"sure", links_json(gold.sure)}, {"possible", links_json(gold.possible)}};
}

Json side_json(const std::vector<std::string>& tokens, bool end, const align::WordGroups* groups) {
  Json side = {{"tokens", tokens}, {"end", end}};
  if (groups == nullptr) return side;
  side["words"] = groups->names;
  side["wordOf"] = groups->group_of;
  return side;
}

Json kind_json(const align::AttentionKind& kind) {
  Json json = {{"layers", Json::array()}};
  for (const align::AttentionMatrix& layer : kind.layers) {
    Json heads = Json::array();
    for (const align::WeightTable& head : heads_of(layer)) heads.push_back(pack_weights(head));
    json["layers"].push_back(std::move(heads));
  }
  if (kind.rollout.has_weights()) json["rollout"] = pack_weights(kind.rollout.weights);
  return json;
}

/// The JSON of memory slots. A page of words needs a word per column, so each slot becomes a word.
Json slots_json(const std::vector<std::string>& names, bool as_words) {
  align::WordGroups groups{names, {}, false};
  for (std::size_t i = 0; i < names.size(); ++i) groups.group_of.push_back(i);
  return side_json(names, false, as_words ? &groups : nullptr);
}

void add_kinds(const PageReading& reading, Json& json) {
  for (const align::AttentionKind& kind : reading.kinds) {
    json["kinds"][kind.name] = kind_json(kind);
    const align::AttentionMatrix& layer = kind.layers.front();
    const align::KindSide columns = align::sides_of(kind.name).columns;
    if (columns == align::KindSide::kInput)
      json["input"] = side_json(layer.source, layer.source_end,
                                reading.words ? &reading.words->input : nullptr);
    if (columns == align::KindSide::kSlots)
      json[kind.name + "_slots"] = slots_json(layer.source, reading.words.has_value());
  }
}

Json reading_json(const PageReading& reading) {
  const align::AttentionMatrix& matrix = reading.matrix;
  const auto* words = reading.words ? &*reading.words : nullptr;
  Json json;
  json["source"] =
      side_json(matrix.source, matrix.source_end, words == nullptr ? nullptr : &words->source);
  json["target"] =
      side_json(matrix.target, matrix.target_end, words == nullptr ? nullptr : &words->target);
  if (matrix.has_weights()) json["weights"] = pack_weights(matrix.weights);
  for (const align::WeightTable& head : matrix.heads) json["heads"].push_back(pack_weights(head));
  if (reading.links) json["links"] = links_json(*reading.links);
  if (reading.score) json["score"] = *reading.score;
  add_kinds(reading, json);
  return json;
}

std::string filled(std::string_view mark, const AttentionPageOptions& options) {
  if (mark == "style") return std::string(page_style());
  if (mark == "script") return std::string(page_script());
  if (mark == "title") return escape_html(options.title);
  const char* level = options.level == align::Level::kWord ? "words" : "pieces";
  return script_json({{"title", options.title}, {"models", options.models}, {"level", level}});
}

// The parts of page.html before and after the sentences, with the other placeholders filled.
std::array<std::string, 2> frame(const AttentionPageOptions& options) {
  std::array<std::string, 2> parts;
  std::size_t part = 0;
  for (std::string_view html = page_html(); !html.empty();) {
    const std::size_t open = html.find("{{");
    parts[part] += html.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = html.find("}}", open);
    const std::string_view mark = html.substr(open + 2, close - open - 2);
    if (mark == "data") {
      ++part;
    } else {
      parts[part] += filled(mark, options);
    }
    html.remove_prefix(close + 2);
  }
  return parts;
}

}  // namespace

AttentionPage::AttentionPage(const std::filesystem::path& path, const AttentionPageOptions& options)
    : file_(path) {
  auto [before, after] = frame(options);
  file_.write(before);
  after_ = std::move(after);
}

void AttentionPage::add(const PageSentence& sentence) {
  check(sentence);
  Json json = {{"id", sentence.id}, {"rank", sentence.rank}};
  for (const PageReading& reading : sentence.readings)
    json["readings"].push_back(reading_json(reading));
  if (sentence.gold) json["gold"] = gold_json(*sentence.gold);
  file_.write(R"(<script type="application/json" class="sentence">)");
  file_.write(script_json(json));
  file_.write("</script>\n");
}

void AttentionPage::commit() {
  file_.write(after_);
  file_.commit();
}

}  // namespace attend::draw
