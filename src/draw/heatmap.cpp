#include "draw/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/file.h"
#include "draw/head_pictures.h"

namespace attend::draw {
namespace {

constexpr Color kInk{0.13, 0.13, 0.13};
constexpr Color kGridLine{0.87, 0.87, 0.87};
constexpr double kLabelGap = 7.0;
constexpr double kLongestLabel = 220.0;
constexpr double kBarWidth = 10.0;
constexpr double kSmallText = 9.5;
constexpr double kBarGap = 20.0;
// Vermilion of Okabe & Ito (2008), distinct from blue for every kind of colour vision.
constexpr Color kGold{0.835, 0.369, 0.0};

// Sizes in canvas units. The top left corner of the grid is (0, 0).
struct Layout {
  double cell = 0.0;
  double label_size = 0.0;    // font size
  double source_angle = 0.0;  // degrees, counter-clockwise
  bool show_values = false;
  double top_weight = 1.0;  // weight of the darkest shade
  Size grid;
};

double largest_of(const align::WeightTable& weights) {
  double largest = 0.0;
  for (std::size_t t = 0; t < weights.rows(); ++t) {
    for (std::size_t s = 0; s < weights.columns(); ++s)
      largest = std::max<double>(largest, weights(t, s));
  }
  return largest;
}

// All heads share one scale, so that their shades are comparable.
double top_weight_of(const align::AttentionMatrix& matrix) {
  double largest = largest_of(matrix.weights);
  for (const align::WeightTable& head : matrix.heads) largest = std::max(largest, largest_of(head));
  for (const double top : {0.1, 0.2, 0.5, 1.0}) {
    // A row of float weights may sum to a little more than 1.
    if (largest <= top + 1e-4) return top;
  }
  return largest;
}

Layout layout_of(const align::AttentionMatrix& matrix) {
  const auto longer_side =
      static_cast<double>(std::max(matrix.source.size(), matrix.target.size()));
  Layout layout;
  layout.cell = std::clamp(std::round(800.0 / longer_side), 13.0, 34.0);
  layout.label_size = std::clamp(layout.cell * 0.55, 10.0, 13.0);
  // Slanted labels stand cell * sin(45 degrees) apart. A line of text is 1.25 times as high as its
  // font size.
  const bool slant = layout.cell * std::sqrt(0.5) >= layout.label_size * 1.25;
  layout.source_angle = slant ? 45.0 : 90.0;
  layout.show_values = layout.cell >= 28.0;
  layout.top_weight = top_weight_of(matrix);
  layout.grid = {layout.cell * static_cast<double>(matrix.source.size()),
                 layout.cell * static_cast<double>(matrix.target.size())};
  return layout;
}

// Formats a weight as ".87" or "1"; empty if it rounds to ".00".
std::string short_weight(double weight) {
  if (!(weight >= 0.005)) return "";
  const std::string text = fmt::format("{:.2f}", weight);
  if (text == "1.00") return "1";
  return text.starts_with("0.") ? text.substr(1) : text;
}

class Painter {
 public:
  Painter(const align::AttentionMatrix& matrix, const Layout& layout, Canvas& canvas)
      : matrix_(matrix), layout_(layout), canvas_(canvas) {}

  void paint(const HeatmapOptions& options) {
    cells();
    grid_lines();
    if (options.gold) gold_links(*options.gold);
    source_labels();
    target_labels();
    captions(options);
    color_bar();
    if (!options.title.empty()) heading(options.title);
    if (!matrix_.heads.empty()) heads();
  }

 private:
  void cells() {
    for (std::size_t t = 0; t < matrix_.target.size(); ++t) {
      for (std::size_t s = 0; s < matrix_.source.size(); ++s) cell(t, s);
    }
  }

  void cell(std::size_t row, std::size_t column) {
    const auto weight = static_cast<double>(matrix_.weights(row, column));
    const Color color = shade(weight / layout_.top_weight);
    const Point corner = corner_of(row, column);
    canvas_.fill({corner, {layout_.cell, layout_.cell}}, color);
    if (!layout_.show_values) return;
    const Point middle{corner.x + layout_.cell / 2, corner.y + layout_.cell / 2};
    canvas_.text(short_weight(weight), middle, Anchor::kCenter,
                 {.size = kSmallText, .color = readable_on(color)});
  }

  Point corner_of(std::size_t row, std::size_t column) const {
    return {static_cast<double>(column) * layout_.cell, static_cast<double>(row) * layout_.cell};
  }

  void gold_links(const align::GoldLinks& gold) {
    for (const align::Link& link : gold.possible) {
      if (!gold.sure.contains(link)) gold_link(link, 3.0);
    }
    for (const align::Link& link : gold.sure) gold_link(link, 0.0);
    // Below the colour bar.
    const double x = layout_.grid.width + kBarGap;
    double y = bar_height() + 24.0;
    if (!gold.sure.empty()) legend("gold, sure", {x, y}, 0.0);
    if (!gold.sure.empty()) y += 18.0;
    if (gold.possible.size() > gold.sure.size()) legend("gold, possible", {x, y}, 3.0);
  }

  void gold_link(const align::Link& link, double dash) {
    constexpr double kWidth = 2.0;
    const Point corner =
        corner_of(static_cast<std::size_t>(link.target), static_cast<std::size_t>(link.source));
    const double side = layout_.cell - kWidth;
    canvas_.outline({{corner.x + kWidth / 2, corner.y + kWidth / 2}, {side, side}},
                    {kGold, kWidth, dash});
  }

  void legend(const char* meaning, const Point& at, double dash) {
    canvas_.outline({{at.x, at.y - 5.0}, {10.0, 10.0}}, {kGold, 2.0, dash});
    canvas_.text(meaning, {at.x + 16.0, at.y}, Anchor::kLeft,
                 {.size = kSmallText, .color = kFaintInk});
  }

  void grid_lines() {
    for (std::size_t t = 1; t < matrix_.target.size(); ++t) {
      const double y = static_cast<double>(t) * layout_.cell;
      canvas_.line({0.0, y}, {layout_.grid.width, y}, {kGridLine, 0.5});
    }
    for (std::size_t s = 1; s < matrix_.source.size(); ++s) {
      const double x = static_cast<double>(s) * layout_.cell;
      canvas_.line({x, 0.0}, {x, layout_.grid.height}, {kGridLine, 0.5});
    }
    canvas_.outline({{0.0, 0.0}, layout_.grid}, {kFrame, 1.0});
  }

  TextStyle label_style(bool is_end) const {
    return {
        .size = layout_.label_size, .color = is_end ? kFaintInk : kInk, .max_width = kLongestLabel};
  }

  void source_labels() {
    for (std::size_t s = 0; s < matrix_.source.size(); ++s) {
      const Point foot{(static_cast<double>(s) + 0.5) * layout_.cell, -kLabelGap};
      canvas_.text(matrix_.source[s], foot, Anchor::kLeft,
                   label_style(s >= matrix_.source_tokens()), layout_.source_angle);
    }
  }

  void target_labels() {
    for (std::size_t t = 0; t < matrix_.target.size(); ++t) {
      const Point end{-kLabelGap, (static_cast<double>(t) + 0.5) * layout_.cell};
      canvas_.text(matrix_.target[t], end, Anchor::kRight,
                   label_style(t >= matrix_.target_tokens()));
    }
  }

  void captions(const HeatmapOptions& options) {
    const TextStyle style{.size = kSmallText, .color = kFaintInk};
    const double line = canvas_.text_size("source", style).height;
    const Point foot{-kLabelGap, -kLabelGap - 0.5 * line};
    canvas_.text(options.columns + " →", {foot.x, foot.y - line}, Anchor::kRight, style);
    canvas_.text(options.rows + " ↓", foot, Anchor::kRight, style);
  }

  double bar_height() const { return std::clamp(layout_.grid.height, 40.0, 140.0); }

  void color_bar() {
    constexpr int kSteps = 64;
    const double x = layout_.grid.width + kBarGap;
    const double height = bar_height();
    const double step = height / kSteps;
    for (int i = 0; i < kSteps; ++i) {
      // Overlapping steps hide the seams between them.
      const Box box{{x, i * step}, {kBarWidth, std::min(1.5 * step, height - i * step)}};
      canvas_.fill(box, shade(1.0 - (i + 0.5) / kSteps));
    }
    canvas_.outline({{x, 0.0}, {kBarWidth, height}}, {kFrame, 0.75});
    for (const double share : {0.0, 0.5, 1.0})
      bar_tick(share, {x + kBarWidth, height * (1.0 - share)});
  }

  void heads() {
    const Point corner{0.0, layout_.grid.height + 28.0};
    draw_heads(matrix_.heads, layout_.top_weight, {corner, {layout_.grid.width, 0.0}}, canvas_);
  }

  void bar_tick(double share, const Point& at) {
    canvas_.line(at, {at.x + 3.0, at.y}, {kFrame, 0.75});
    canvas_.text(fmt::format("{:.3g}", share * layout_.top_weight), {at.x + 6.0, at.y},
                 Anchor::kLeft, {.size = kSmallText, .color = kFaintInk});
  }

  // Height of the source labels above the grid.
  double label_height() {
    const double sine = layout_.source_angle == 45.0 ? std::sqrt(0.5) : 1.0;
    double highest = 0.0;
    for (const std::string& name : matrix_.source) {
      const Size size = canvas_.text_size(name, label_style(false));
      highest = std::max(highest, kLabelGap + size.width * sine + size.height / 2);
    }
    return highest;
  }

  void heading(const std::string& title) {
    const TextStyle style{.size = 13.0,
                          .color = kInk,
                          .bold = true,
                          .max_width = std::max(400.0, layout_.grid.width)};
    const double captions_height = 2.0 * kLabelGap + 2.5 * kSmallText;
    const double y = -std::max(label_height(), captions_height) - 18.0;
    canvas_.text(title, {0.0, y}, Anchor::kLeft, style);
  }

  const align::AttentionMatrix& matrix_;
  const Layout& layout_;
  Canvas& canvas_;
};

void check_gold(const align::GoldLinks& gold, const align::AttentionMatrix& matrix) {
  const auto rows = static_cast<int64_t>(matrix.target.size());
  const auto columns = static_cast<int64_t>(matrix.source.size());
  for (const align::Links* links : {&gold.sure, &gold.possible}) {
    for (const align::Link& link : *links) {
      if (link.source < 0 || link.source >= columns || link.target < 0 || link.target >= rows)
        throw std::logic_error("draw_heatmap: a gold link lies outside the matrix");
    }
  }
}

}  // namespace

void draw_heatmap(const align::AttentionMatrix& matrix, const HeatmapOptions& options,
                  const std::filesystem::path& path) {
  if (!matrix.has_weights()) throw std::logic_error("draw_heatmap: no weights");
  matrix.check();
  if (options.gold) check_gold(*options.gold, matrix);
  const Layout layout = layout_of(matrix);
  const std::string bytes = render_picture(
      options.format, [&](Canvas& canvas) { Painter(matrix, layout, canvas).paint(options); });
  write_file_atomically(path, bytes);
}

}  // namespace attend::draw
