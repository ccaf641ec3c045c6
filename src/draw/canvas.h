#pragma once
#include <memory>
#include <string_view>

#include "draw/color_scale.h"

using cairo_t = struct _cairo;

namespace attend::draw {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Size {
  double width = 0.0;
  double height = 0.0;
};

struct Box {
  Point corner;  ///< top left
  Size size;
};

struct TextStyle {
  double size = 12.0;  ///< font size in canvas units
  Color color;
  bool bold = false;
  double max_width = 1e6;  ///< longer text is cut with an ellipsis
};

struct Stroke {
  Color color;
  double width = 1.0;
  double dash = 0.0;  ///< length of dashes and gaps; 0: solid
};

/// The point of a text's box that lies at the given position, always at half the box's height.
enum class Anchor { kLeft, kCenter, kRight };

/// Draws shapes and text of any script on a Cairo context, with x to the right and y downwards.
/// Text is measured without hinting, so that every output format gets the same picture.
class Canvas {
 public:
  /// `context` must outlive the canvas.
  explicit Canvas(cairo_t* context);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void fill(const Box& box, const Color& color);
  void outline(const Box& box, const Stroke& stroke);
  void line(const Point& from, const Point& to, const Stroke& stroke);

  /// Draws text rotated by `degrees` counter-clockwise around `position`.
  void text(std::string_view text, const Point& position, Anchor anchor, const TextStyle& style,
            double degrees = 0.0);
  [[nodiscard]] Size text_size(std::string_view text, const TextStyle& style);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attend::draw
