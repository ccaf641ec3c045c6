#include "app/export/torch_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "app/export/reference_model.h"
#include "app/export/vocabulary_files.h"
#include "config/schema.h"
#include "core/file.h"
#include "core/number.h"

namespace attend::app {
namespace {

using nn::CellKind;
using nn::DistributionKind;
using nn::ScopeKind;
using nn::ScoreKind;

/// A scalar of a config as JSON: a flag, a number or text.
nlohmann::json json_scalar(const config::Node& node) {
  const std::string& text = node.text;
  if (node.quoted) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = number_in<int64_t>(text)) return *whole;
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? nlohmann::json(*number) : nlohmann::json(text);
}

nlohmann::json to_json(const config::Node& node) {
  if (node.kind == config::Node::Kind::kNull) return nullptr;
  if (node.kind == config::Node::Kind::kScalar) return json_scalar(node);
  if (node.kind == config::Node::Kind::kSequence) {
    nlohmann::json list = nlohmann::json::array();
    for (const config::Node& element : node.elements) list.push_back(to_json(element));
    return list;
  }
  nlohmann::json section = nlohmann::json::object();
  for (const config::Node::Entry& entry : node.entries) section[entry.key] = to_json(entry.value);
  return section;
}

/// Checks score, distribution and scope of the attention in `section`.
template <class Attention>
void need_known_attention(std::vector<Obstacle>& obstacles, const std::string& section,
                          const Attention& attention) {
  need(obstacles, section + ".score", attention.score,
       {ScoreKind::additive, ScoreKind::dot, ScoreKind::scaled_dot, ScoreKind::general,
        ScoreKind::biased_general, ScoreKind::activated_general, ScoreKind::concat});
  need(obstacles, section + ".distribution", attention.distribution, {DistributionKind::softmax});
  need(obstacles, section + ".scope", attention.scope,
       {ScopeKind::global, ScopeKind::position_bias});
}

void need_known_cell(std::vector<Obstacle>& obstacles, const std::string& section, CellKind cell) {
  need(obstacles, section + ".cell", cell, {CellKind::gru, CellKind::lstm, CellKind::mingru});
}

void need_known(std::vector<Obstacle>& obstacles, const model::RecurrentEncoderOptions& encoder) {
  need_known_cell(obstacles, "model.encoder", encoder.cell);
  need(obstacles, "model.encoder.repeat_source", encoder.repeat_source, {int64_t{1}});
  need(obstacles, "model.encoder.self_attention", encoder.self_attention,
       {model::TopAttention::none});
}

void need_known(std::vector<Obstacle>& obstacles, const model::RecurrentDecoderOptions& decoder) {
  using model::WiringKind;
  need_known_cell(obstacles, "model.decoder", decoder.cell);
  need(obstacles, "model.decoder.wiring", decoder.wiring,
       {WiringKind::bahdanau, WiringKind::conditional, WiringKind::luong, WiringKind::none});
}

/// Checks families of transformer layers. Other families are refused by their type.
template <class Family>
void need_known(std::vector<Obstacle>& obstacles, const Family& family) {
  constexpr bool is_encoder = std::is_same_v<Family, model::TransformerEncoderOptions>;
  const std::string section = is_encoder ? "model.encoder" : "model.decoder";
  if constexpr (requires { family.layer_attention; })
    need_known_attention(obstacles, section + ".layer_attention", family.layer_attention);
}

}  // namespace

std::vector<Obstacle> torch_obstacles(const Experiment& experiment) {
  const model::ModelOptions& model = experiment.model;
  std::vector<Obstacle> obstacles;
  need_one_source(obstacles, experiment.data);
  need(obstacles, "data.reverse_target", experiment.data.reverse_target, {false});
  need(obstacles, "model.encoder.type", model::type_name(model.encoder),
       {std::string(model::RecurrentEncoderOptions::kType),
        std::string(model::TransformerEncoderOptions::kType)});
  const auto check = [&](const auto& family) { need_known(obstacles, family); };
  std::visit(check, model.encoder);
  std::visit(check, model.decoder);
  if (!model::attends(model)) return obstacles;
  need_known_attention(obstacles, "model.attention", model.attention);
  need(obstacles, "model.attention.per_feature", model.attention.per_feature, {false});
  return obstacles;
}

std::vector<ExportedFile> torch_files(const LoadedModel& loaded) {
  refuse(torch_obstacles(loaded.experiment), "torch", loaded.directory);
  const auto schema = config::schema_of<model::ModelOptions>();
  std::vector<ExportedFile> files = vocabulary_files(loaded);
  files.push_back({"config.json", to_json(schema.write(loaded.experiment.model)).dump(2) + "\n"});
  files.push_back({"model.safetensors", read_file(loaded.weights_file)});
  files.push_back({"model.py", std::string(reference_model())});
  return files;
}

}  // namespace attend::app
