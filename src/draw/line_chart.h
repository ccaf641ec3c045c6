#pragma once
#include <string>
#include <vector>

namespace attend::draw {

struct ChartPoint {
  double x = 0.0;
  double y = 0.0;
};

/// One line of a chart. Points that are not finite, or beyond 1e150, are left out.
struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // by x
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::vector<ChartSeries> series;
};

/// The chart as an <svg> element with axes, grid and, for several series, a legend; a short note
/// instead of lines where there are no points. Values are in <title> elements, which browsers show
/// under the mouse.
[[nodiscard]] std::string to_svg(const LineChart& chart);

/// Round numbers (1, 2 or 5 times a power of ten apart) that cover low .. high in about `count`
/// steps; low and high themselves where they are too close for their size to be told apart by such.
/// Requires: -1e150 <= low <= high <= 1e150.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int count);

}  // namespace attend::draw
