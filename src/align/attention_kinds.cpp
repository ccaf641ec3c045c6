#include "align/attention_kinds.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace attend::align {
namespace {

struct NamedSides {
  std::string_view name;
  KindSides sides;
};

constexpr std::array<NamedSides, 5> kKindSides{{
    {"encoder", {KindSide::kSource, KindSide::kSource}},
    {"decoder", {KindSide::kTarget, KindSide::kInput}},
    {"cross", {KindSide::kTarget, KindSide::kSource}},
    {"encoder_memory", {KindSide::kSource, KindSide::kSlots}},
    {"decoder_memory", {KindSide::kTarget, KindSide::kSlots}},
}};

}  // namespace

std::vector<std::string> attention_kind_names() {
  std::vector<std::string> names;
  for (const NamedSides& kind : kKindSides) names.emplace_back(kind.name);
  return names;
}

KindSides sides_of(const std::string& kind) {
  const auto* const found = std::find_if(kKindSides.begin(), kKindSides.end(),
                                         [&](const NamedSides& one) { return one.name == kind; });
  if (found == kKindSides.end()) throw std::out_of_range("unknown kind of attention: " + kind);
  return found->sides;
}

std::vector<WeightTable> heads_of(const AttentionMatrix& layer) {
  return layer.heads.empty() ? std::vector<WeightTable>{layer.weights} : layer.heads;
}

}  // namespace attend::align
