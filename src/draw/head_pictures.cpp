#include "draw/head_pictures.h"

#include <fmt/format.h>

#include <algorithm>

namespace attend::draw {
namespace {

constexpr double kGap = 14.0;
constexpr double kCaption = 18.0;  // room above a picture for its name
constexpr double kLeastWidth = 400.0;

double cell_size(const align::WeightTable& head) {
  return std::clamp(130.0 / static_cast<double>(std::max(head.rows(), head.columns())), 2.0, 10.0);
}

void draw_head(const align::WeightTable& head, double top_weight, const Box& box, Canvas& canvas) {
  const double cell = box.size.width / static_cast<double>(head.columns());
  for (std::size_t t = 0; t < head.rows(); ++t) {
    for (std::size_t s = 0; s < head.columns(); ++s) {
      const Point corner{box.corner.x + static_cast<double>(s) * cell,
                         box.corner.y + static_cast<double>(t) * cell};
      canvas.fill({corner, {cell, cell}}, shade(static_cast<double>(head(t, s)) / top_weight));
    }
  }
  canvas.outline(box, {kFrame, 0.75});
}

}  // namespace

void draw_heads(const std::vector<align::WeightTable>& heads, double top_weight, const Box& area,
                Canvas& canvas) {
  const double cell = cell_size(heads.front());
  const Size size{cell * static_cast<double>(heads.front().columns()),
                  cell * static_cast<double>(heads.front().rows())};
  const double right = area.corner.x + std::max(area.size.width, kLeastWidth);
  // The caption needs 40 units, more than the picture of a short sentence.
  const double step = std::max(size.width, 40.0) + kGap;
  Point corner{area.corner.x, area.corner.y + kCaption};
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (h > 0 && corner.x + size.width > right) {
      corner = {area.corner.x, corner.y + size.height + kCaption + kGap};
    }
    canvas.text(fmt::format("head {}", h + 1), {corner.x, corner.y - kCaption / 2}, Anchor::kLeft,
                {.size = 9.5, .color = kFaintInk});
    draw_head(heads[h], top_weight, {corner, size}, canvas);
    corner.x += step;
  }
}

}  // namespace attend::draw
