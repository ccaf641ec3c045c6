#include "draw/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "draw/escape_html.h"

namespace attend::draw {
namespace {

constexpr double kWidth = 520;
constexpr double kHeight = 260;
constexpr double kLeft = 62;
constexpr double kRight = 14;
constexpr double kTop = 30;
constexpr double kBottom = 40;
constexpr int kTicks = 5;
constexpr std::size_t kMostDots = 60;      // more points are drawn as a line only
constexpr double kLargestDrawn = 1e150;    // differences and ratios of what is drawn are numbers
constexpr double kSmallestDrawn = 1e-150;  // what is closer to 0 is drawn like 0
constexpr double kMostSteps = 1e15;        // whole numbers below it have a next one
// Blue and orange of Okabe & Ito (2008), told apart by all kinds of colour vision.
constexpr std::array<const char*, 4> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

/// From values to places on the picture.
struct Scales {
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;

  [[nodiscard]] double x(double value) const {
    return kLeft + (value - x_ticks.front()) / (x_ticks.back() - x_ticks.front()) *
                       (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom -
           (value - y_ticks.front()) / (y_ticks.back() - y_ticks.front()) *
               (kHeight - kTop - kBottom);
  }
};

bool is_drawn(double value) {
  return std::abs(value) <= kLargestDrawn;  // NaN is not
}

bool is_drawn(const ChartPoint& point) {
  return is_drawn(point.x) && is_drawn(point.y);
}

// Updates and tokens a second are counts: 20000 rather than 2e+04.
std::string label(double value) {
  const double size = std::abs(value);
  return fmt::format(fmt::runtime(size >= 1000 && size < 1e7 ? "{:.0f}" : "{:.4g}"), value);
}

std::string text(double x, double y, const char* anchor, const std::string& content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escape_html(content));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", x1, y1,
                     x2, y2);
}

std::string axes(const LineChart& chart, const Scales& scales) {
  std::string svg = "<g stroke=\"#ddd\">\n";
  for (const double tick : scales.y_ticks) {
    svg += line(kLeft, scales.y(tick), kWidth - kRight, scales.y(tick));
  }
  svg += "</g>\n";
  for (const double tick : scales.y_ticks) {
    svg += text(kLeft - 6, scales.y(tick) + 4, "end", label(tick));
  }
  for (const double tick : scales.x_ticks) {
    svg += text(scales.x(tick), kHeight - kBottom + 16, "middle", label(tick));
  }
  return svg + text((kLeft + kWidth - kRight) / 2, kHeight - 6, "middle", chart.x_label);
}

std::string draw(const ChartSeries& series, const Scales& scales, const char* color) {
  std::string path;
  std::string dots;
  for (const ChartPoint& point : series.points) {
    if (!is_drawn(point)) continue;
    const double x = scales.x(point.x);
    const double y = scales.y(point.y);
    path += fmt::format("{:.1f},{:.1f} ", x, y);
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"><title>{}: {} at {}</title></circle>\n", x,
        y, escape_html(series.name), label(point.y), label(point.x));
  }
  if (series.points.size() > kMostDots) dots.clear();
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n"
      "<g fill=\"{}\">\n{}</g>\n",
      path, color, color, dots);
}

std::string legend(const std::vector<ChartSeries>& series) {
  if (series.size() < 2) return "";
  std::string svg;
  double x = kWidth - kRight;
  for (std::size_t i = series.size(); i-- > 0;) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"18\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", x,
                       kColors[i % kColors.size()], escape_html(series[i].name));
    x -= 8.0 * static_cast<double>(series[i].name.size()) + 12.0;
  }
  return svg;
}

Scales scales_of(const Extent& x, const Extent& y) {
  return {round_ticks(x.low, x.high, kTicks), round_ticks(y.low, y.high, kTicks)};
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  if (low == high) {
    const double margin = std::abs(low) < kSmallestDrawn ? 1.0 : std::abs(low) * 0.1;
    low -= margin;
    high += margin;
  }
  const double exact = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(exact)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= exact) step = factor * power;
  }
  const double first = std::floor(low / step);
  const double last = std::ceil(high / step);
  if (!(std::abs(first) < kMostSteps && last - first >= 1.0)) return {low, high};
  std::vector<double> ticks;
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

std::string to_svg(const LineChart& chart) {
  Extent x;
  Extent y;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!is_drawn(point)) continue;
      x.add(point.x);
      y.add(point.y);
    }
  }
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"11\" fill=\"#444\">\n"
      "<text x=\"{2}\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{3}</text>\n",
      kWidth, kHeight, kLeft, escape_html(chart.title));
  if (x.empty()) return svg + text(kWidth / 2, kHeight / 2, "middle", "nothing yet") + "</svg>\n";
  const Scales scales = scales_of(x, y);
  svg += axes(chart, scales) + legend(chart.series);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    svg += draw(chart.series[i], scales, kColors[i % kColors.size()]);
  }
  return svg + "</svg>\n";
}

}  // namespace attend::draw
