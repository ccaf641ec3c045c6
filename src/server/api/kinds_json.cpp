#include "server/api/kinds_json.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "app/attention/attention_kinds.h"
#include "core/closest_name.h"
#include "core/excerpt.h"
#include "server/api/translate_answer.h"
#include "server/http/api_error.h"

namespace attend::server {
namespace {

using nlohmann::json;

/// The heads of each layer by kind; empty for a reversed output, which is displayed reordered.
std::map<std::string, model::LayerHeads> layers_of(const app::LoadedModel& model) {
  if (model.experiment.data.reverse_target) return {};
  const model::AttentionHeads heads = model.model->attention_heads();
  std::map<std::string, model::LayerHeads> layers;
  for (const decode::KindPlaces& kind : decode::kKindPlaces) {
    if (!(heads.*kind.heads).empty()) layers[kind.name] = heads.*kind.heads;
  }
  return layers;
}

json kind_json(const align::AttentionKind& kind) {
  json layers = json::array();
  for (const align::AttentionMatrix& layer : kind.layers) {
    json tables = matrix_json(layer);
    layers.push_back(layer.heads.empty() ? json::array({std::move(tables["weights"])})
                                         : std::move(tables["heads"]));
  }
  json result = {{"layers", std::move(layers)}};
  if (kind.rollout.has_weights()) result["rollout"] = matrix_json(kind.rollout)["weights"];
  return result;
}

void add_kind(const std::string& name, const app::LoadedModel& model,
              decode::AttentionKinds& asked) {
  if (model.experiment.data.reverse_target) {
    throw bad_request(
        "\"attention_kinds\": not supported for this model, which writes its output from the end "
        "(data.reverse_target); leave it out");
  }
  const auto layers = layers_of(model);
  if (layers.empty()) app::require_attention(model, "\"attention_kinds\"");
  std::vector<std::string> names = {"all"};
  for (const auto& [kind, heads] : layers) names.push_back(kind);
  if (name != "all" && !layers.contains(name)) {
    throw bad_request(fmt::format("\"attention_kinds\": this model has no \"{}\"{}; choices: {}",
                                  excerpt(name), did_you_mean(name, names), join(names)));
  }
  for (const decode::KindPlaces& kind : decode::kKindPlaces)
    asked.*kind.asked |= name == kind.name || (name == "all" && layers.contains(kind.name));
}

}  // namespace

decode::AttentionKinds parse_kinds(const std::vector<std::string>& names,
                                   const app::LoadedModel& model) {
  decode::AttentionKinds asked;
  for (const std::string& name : names) add_kind(name, model, asked);
  return asked;
}

void add_kinds(const std::vector<align::AttentionKind>& kinds, json& attention) {
  for (const align::AttentionKind& kind : kinds) {
    if (kind.name == "decoder") attention["target_input"] = kind.layers.front().source;
    attention["kinds"][kind.name] = kind_json(kind);
  }
}

json layer_heads_json(const app::LoadedModel& model) {
  return layers_of(model);
}

}  // namespace attend::server
