#include "app/kind_heatmaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "draw/heatmap.h"

namespace attend::app {
namespace {

void draw_map(const align::AttentionKind& kind, const align::AttentionMatrix& matrix,
              const std::string& part, const PicturePlace& place) {
  const bool of_source = kind.name == "encoder", of_target = kind.name == "decoder";
  const auto name = fmt::format("{}.{}.{}.{}", place.stem, kind.name, part,
                                draw::picture_format_name(place.format));
  draw::draw_heatmap(matrix,
                     {.format = place.format,
                      .title = part == "rollout" ? fmt::format("{}, rollout", kind.name)
                                                 : fmt::format("{}, layer {}", kind.name, part),
                      .columns = of_target ? "read" : "source",
                      .rows = of_source ? "source" : "target",
                      .gold = {}},
                     place.folder / name);
}

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

void draw_kinds(const std::vector<align::AttentionKind>& kinds, const PicturePlace& place) {
  for (const align::AttentionKind& kind : kinds) {
    for (std::size_t i = 0; i < kind.layers.size(); ++i)
      draw_map(kind, kind.layers[i], std::to_string(i + 1), place);
    if (kind.rollout.has_weights()) draw_map(kind, kind.rollout, "rollout", place);
  }
}

bool is_picture_stem(const std::string& stem) {
  constexpr std::string_view kNumbers = "0123456789.";
  if (has_only(stem, kNumbers)) return true;
  const auto is_of = [&](const std::string& kind) {
    const std::size_t at = stem.find("." + kind + ".");
    if (at == std::string::npos || !has_only(stem.substr(0, at), kNumbers)) return false;
    const std::string part = stem.substr(at + kind.size() + 2);
    return part == "rollout" || has_only(part, kNumbers);
  };
  const auto names = align::attention_kind_names();
  return std::any_of(names.begin(), names.end(), is_of);
}

}  // namespace attend::app
