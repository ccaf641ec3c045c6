#include "align/attention_json.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "align/segment_shares.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::align {
namespace {

// Keeps the order of keys and stores numbers as floats; as a double, 0.1F would become
// 0.10000000149011612.
using FloatJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                       int64_t, uint64_t, float>;

FloatJson table_json(const WeightTable& table) {
  FloatJson rows = FloatJson::array();
  for (std::size_t t = 0; t < table.rows(); ++t) {
    FloatJson row = FloatJson::array();
    for (std::size_t s = 0; s < table.columns(); ++s) row.push_back(table(t, s));
    rows.push_back(std::move(row));
  }
  return rows;
}

FloatJson kind_json(const AttentionKind& kind) {
  FloatJson json;
  json["layers"] = FloatJson::array();
  for (const AttentionMatrix& layer : kind.layers) {
    FloatJson heads = FloatJson::array();
    for (const WeightTable& head : heads_of(layer)) heads.push_back(table_json(head));
    json["layers"].push_back(std::move(heads));
  }
  if (kind.rollout.has_weights()) json["rollout"] = table_json(kind.rollout.weights);
  return json;
}

void add_kinds(const std::vector<AttentionKind>& kinds, FloatJson& json) {
  for (const AttentionKind& kind : kinds) {
    if (kind.name == "decoder") json["target_input"] = kind.layers.front().source;
  }
  for (const AttentionKind& kind : kinds) json["kinds"][kind.name] = kind_json(kind);
}

WeightTable parse_table(const FloatJson& rows, std::size_t columns) {
  std::vector<float> values;
  for (const FloatJson& row : rows) {
    const auto numbers = row.get<std::vector<float>>();
    if (numbers.size() != columns) throw std::runtime_error("a row does not fit the source words");
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  return {rows.size(), columns, std::move(values)};
}

}  // namespace

Level parse_level(std::string_view name) {
  if (name == "piece") return Level::kPiece;
  if (name == "word") return Level::kWord;
  const auto names = level_names();
  throw UsageError(fmt::format("{}: unknown value \"{}\"{}; choices: {}", option_name("level"),
                               name, did_you_mean(name, names), join(names)));
}

std::vector<std::string> level_names() {
  return {"piece", "word"};
}

std::string attention_json(const AttentionRecord& record, const AttentionMatrix& matrix,
                           const std::vector<AttentionKind>& kinds) {
  FloatJson json;
  json["id"] = record.id;
  json["rank"] = record.rank;
  json["level"] = record.level == Level::kWord ? "word" : "piece";
  json["source"] = matrix.source;
  json["target"] = matrix.target;
  json["attention"] = matrix.has_weights() ? table_json(matrix.weights) : FloatJson();
  for (const WeightTable& head : matrix.heads) json["heads"].push_back(table_json(head));
  if (!record.separator.empty() && matrix.has_weights()) {
    json["segments"] = table_json(segment_shares(matrix, record.separator));
  }
  if (record.score) json["score"] = static_cast<float>(*record.score);
  add_kinds(kinds, json);
  return json.dump(-1, ' ', false, FloatJson::error_handler_t::replace);
}

AttentionMatrix parse_word_attention(const std::string& line) {
  const auto json = FloatJson::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw std::runtime_error("it is not a JSON object");
  try {
    if (json.at("level") != "word") throw std::runtime_error("its level is not word");
    if (json.at("attention").is_null()) throw std::runtime_error("it has no weights");
    AttentionMatrix matrix{.target = json.at("target").get<std::vector<std::string>>(),
                           .source = json.at("source").get<std::vector<std::string>>(),
                           .target_end = false,
                           .source_end = false,
                           .weights = {},
                           .heads = {}};
    matrix.weights = parse_table(json.at("attention"), matrix.source.size());
    if (matrix.weights.rows() != matrix.target.size())
      throw std::runtime_error("its rows do not fit the target words");
    return matrix;
  } catch (const FloatJson::exception&) {
    throw std::runtime_error("it lacks level, source, target or attention, or one is malformed");
  }
}

}  // namespace attend::align
