#include "app/attention/kind_heatmaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "draw/heatmap.h"

namespace attend::app {
namespace {

/// The part of a kind that a picture shows, as named in the file name and the title.
struct PicturePart {
  std::string file;
  std::string title;
};

const char* name_of(align::KindSide side) {
  switch (side) {
    case align::KindSide::kSource:
      return "source";
    case align::KindSide::kInput:
      return "read";
    case align::KindSide::kSlots:
      return "slot";
    default:
      return "target";
  }
}

void draw_map(const align::AttentionKind& kind, const align::AttentionMatrix& matrix,
              const PicturePart& part, const PicturePlace& place) {
  const align::KindSides sides = align::sides_of(kind.name);
  const auto name = fmt::format("{}.{}.{}.{}", place.stem, kind.name, part.file,
                                draw::picture_format_name(place.format));
  draw::draw_heatmap(matrix,
                     {.format = place.format,
                      .title = fmt::format("{}, {}", kind.name, part.title),
                      .columns = name_of(sides.columns),
                      .rows = name_of(sides.rows),
                      .gold = {}},
                     place.folder / name);
}

/// Draws one picture per head, because a mean of write and read heads is meaningless.
void draw_memory_heads(const align::AttentionKind& kind, std::size_t layer,
                       const PicturePlace& place) {
  const std::vector<align::WeightTable>& heads = kind.layers[layer].heads;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    align::AttentionMatrix one = kind.layers[layer];
    one.weights = heads[h];
    one.heads.clear();
    const auto what = h == 0              ? std::string("write head")
                      : heads.size() == 2 ? std::string("read head")
                                          : fmt::format("read head {}", h);
    draw_map(kind, one,
             {fmt::format("{}.{}", layer + 1, h + 1), fmt::format("layer {}, {}", layer + 1, what)},
             place);
  }
}

void draw_layer(const align::AttentionKind& kind, std::size_t layer, const PicturePlace& place) {
  if (align::sides_of(kind.name).columns == align::KindSide::kSlots) {
    draw_memory_heads(kind, layer, place);
  } else {
    draw_map(kind, kind.layers[layer],
             {std::to_string(layer + 1), fmt::format("layer {}", layer + 1)}, place);
  }
}

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

void draw_kinds(const std::vector<align::AttentionKind>& kinds, const PicturePlace& place) {
  for (const align::AttentionKind& kind : kinds) {
    for (std::size_t i = 0; i < kind.layers.size(); ++i) draw_layer(kind, i, place);
    if (kind.rollout.has_weights()) draw_map(kind, kind.rollout, {"rollout", "rollout"}, place);
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
