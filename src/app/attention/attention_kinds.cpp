#include "app/attention/attention_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "align/attention_kinds.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

using decode::KindPlaces;
using decode::kKindPlaces;

/// Descriptions of the kinds for "the model has no ...", in the order of kKindPlaces.
constexpr std::array<const char*, kKindPlaces.size()> kMeanings{
    "self-attention in its encoder",
    "self-attention in its decoder",
    "attention to the source",
    "cell with a memory (ntm, dnc) in a plain encoder that reads a single source in order",
    "cell with a memory (ntm, dnc) in its decoder",
};

const char* meaning_of(const KindPlaces& kind) {
  return kMeanings.at(static_cast<std::size_t>(&kind - kKindPlaces.data()));
}

std::vector<std::string> names_of(const decode::AttentionKinds& kinds) {
  std::vector<std::string> names;
  for (const KindPlaces& kind : kKindPlaces) {
    if (kinds.*kind.asked) names.emplace_back(kind.name);
  }
  return names;
}

const KindPlaces& places_of(const std::string& name) {
  const auto* const found = std::ranges::find_if(
      kKindPlaces, [&](const KindPlaces& kind) { return std::string_view(kind.name) == name; });
  if (found != kKindPlaces.end()) return *found;
  std::vector<std::string> names = align::attention_kind_names();
  names.emplace_back("all");
  throw UsageError(fmt::format("{}: unknown kind \"{}\"{}; choices: {}",
                               option_name("attention-kinds"), name, did_you_mean(name, names),
                               join(names)));
}

[[noreturn]] void refuse_kind(const KindPlaces& kind, const LoadedModel& model) {
  const std::vector<std::string> there = names_of(kinds_of(model));
  throw UsageError(
      fmt::format("{} {}: the model in {} has no {}; {}", option_name("attention-kinds"), kind.name,
                  model.directory.string(), meaning_of(kind),
                  there.empty() ? "it has no attention at all" : "it has " + join(there)));
}

// Throws UsageError if the decoder reads the target from the end (data.reverse_target).
void refuse_reversed(const LoadedModel& model) {
  if (!model.experiment.data.reverse_target) return;
  throw UsageError(
      fmt::format("{}: not supported for the model in {}, which writes its output from the end "
                  "(data.reverse_target); leave it out",
                  option_name("attention-kinds"), model.directory.string()));
}

}  // namespace

decode::AttentionKinds kinds_of(const LoadedModel& model) {
  const model::AttentionHeads heads = model.model->attention_heads();
  decode::AttentionKinds kinds;
  for (const KindPlaces& kind : kKindPlaces) kinds.*kind.asked = !(heads.*kind.heads).empty();
  return kinds;
}

decode::AttentionKinds asked_kinds(const std::string& list, const LoadedModel& model) {
  refuse_reversed(model);
  const decode::AttentionKinds there = kinds_of(model);
  if (list == "all" && there.any()) return there;
  if (list == "all") refuse_kind(places_of("cross"), model);
  decode::AttentionKinds asked;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const KindPlaces& kind = places_of(name);
    if (!(there.*kind.asked)) refuse_kind(kind, model);
    asked.*kind.asked = true;
  }
  return asked;
}

std::string shared_kinds(const decode::AttentionKinds& kinds, const LoadedModel& model) {
  decode::AttentionKinds shared = kinds_of(model);
  for (const KindPlaces& kind : kKindPlaces)
    shared.*kind.asked = shared.*kind.asked && kinds.*kind.asked;
  return join(names_of(shared), ",");
}

void require_shown_attention(const LoadedModel& model, const std::string& option) {
  const std::string there = join(names_of(kinds_of(model)), ",");
  if (model.model->attends() || there.empty()) return require_attention(model, option);
  throw UsageError(fmt::format(
      "{} needs attention to the source, but the model in {} has none (model.decoder.wiring: "
      "{}); add {} {} to show its other attention",
      option, model.directory.string(), model::wiring_name(model.experiment.model.decoder),
      option_name("attention-kinds"), there));
}

void check_cross_map(const decode::CrossMap& map, const LoadedModel& model) {
  const model::LayerHeads layers = model.model->attention_heads().cross;
  if (map.layer > layers.size()) {
    throw UsageError(
        fmt::format("{} {}: the source attention of the model in {} has {}", option_name("layer"),
                    map.layer, model.directory.string(),
                    layers.size() == 1 ? "1 layer" : fmt::format("{} layers", layers.size())));
  }
  const int64_t heads = layers.at(map.layer > 0 ? map.layer - 1 : model.model->shown_layer());
  if (map.head <= static_cast<std::size_t>(heads)) return;
  throw UsageError(fmt::format("{} {}: the source attention of the model in {} has {} {}",
                               option_name("head"), map.head, model.directory.string(), heads,
                               heads == 1 ? "head" : "heads"));
}

}  // namespace attend::app
