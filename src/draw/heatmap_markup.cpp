#include "draw/heatmap_markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/utf8.h"
#include "draw/color_scale.h"
#include "draw/escape_html.h"

namespace attend::draw {
namespace {

constexpr double kCell = 18;
constexpr double kMostLabel = 130;  // largest room for row and column labels
constexpr double kLetter = 7.2;     // approximate width of a letter

std::string css_color(const Color& color) {
  const auto byte = [](double part) { return std::lround(255.0 * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(color.red), byte(color.green), byte(color.blue));
}

double label_room(const std::vector<std::string>& pieces) {
  double longest = 4;
  for (const std::string& piece : pieces) {
    double letters = 0;
    // East Asian characters are about twice as wide.
    for (const char32_t c : utf8::decode(piece)) letters += c >= 0x1100 ? 2 : 1;
    longest = std::max(longest, letters);
  }
  return std::min(std::round(kLetter * longest) + 8, kMostLabel);
}

/// Top left corner of the grid.
struct Corner {
  double x = 0.0;
  double y = 0.0;
};

std::string cells(const align::AttentionMatrix& matrix, const Corner& corner) {
  std::string svg;
  for (std::size_t row = 0; row < matrix.weights.rows(); ++row) {
    for (std::size_t column = 0; column < matrix.weights.columns(); ++column) {
      const double weight = matrix.weights(row, column);
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
          "fill=\"{}\"><title>{} ← {}: {:.3f}</title></rect>\n",
          corner.x + kCell * static_cast<double>(column),
          corner.y + kCell * static_cast<double>(row), kCell - 1, kCell - 1,
          css_color(shade(weight)), escape_html(matrix.target[row]),
          escape_html(matrix.source[column]), weight);
    }
  }
  return svg;
}

std::string row_labels(const std::vector<std::string>& pieces, const Corner& corner) {
  std::string svg;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", corner.x - 5,
                       corner.y + kCell * (static_cast<double>(i) + 0.7), escape_html(pieces[i]));
  }
  return svg;
}

std::string column_labels(const std::vector<std::string>& pieces, const Corner& corner) {
  std::string svg;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    svg += fmt::format("<text transform=\"translate({},{}) rotate(-60)\">{}</text>\n",
                       corner.x + kCell * (static_cast<double>(i) + 0.6), corner.y - 5,
                       escape_html(pieces[i]));
  }
  return svg;
}

}  // namespace

std::string heatmap_markup(const align::AttentionMatrix& matrix) {
  matrix.check();
  if (!matrix.has_weights()) throw std::logic_error("heatmap_markup: the matrix has no weights");
  const double above = label_room(matrix.source);
  const Corner corner{label_room(matrix.target), above};
  const double columns = kCell * static_cast<double>(matrix.source.size());
  const double rows = kCell * static_cast<double>(matrix.target.size());
  // The last slanted label extends beyond the right edge of the grid.
  const std::string frame = fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<path d=\"M{2} {3}h{4}v{5}h-{4}z\" fill=\"#ddd\"/>\n",
      corner.x + columns + above / 2 + 4, corner.y + rows + 4, corner.x - 1, corner.y - 1,
      columns + 1, rows + 1);
  return frame + cells(matrix, corner) + row_labels(matrix.target, corner) +
         column_labels(matrix.source, corner) + "</svg>\n";
}

}  // namespace attend::draw
