#include "draw/canvas.h"

#include <cairo.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/utf8.h"
#include "draw/missing_glyphs.h"

namespace attend::draw {
namespace {

struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
struct FreeFont {
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
struct FreeFontOptions {
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};

using TextLayout = std::unique_ptr<PangoLayout, Unref>;
using Font = std::unique_ptr<PangoFontDescription, FreeFont>;
using FontOptions = std::unique_ptr<cairo_font_options_t, FreeFontOptions>;

void set_source(cairo_t* context, const Color& color) {
  cairo_set_source_rgb(context, color.red, color.green, color.blue);
}

void set_stroke(cairo_t* context, const Stroke& stroke) {
  set_source(context, stroke.color);
  cairo_set_line_width(context, stroke.width);
  cairo_set_dash(context, &stroke.dash, stroke.dash > 0.0 ? 1 : 0, 0.0);
}

// Hinting depends on the resolution, which differs between PNG and SVG.
void switch_hinting_off(cairo_t* context) {
  const FontOptions options(cairo_font_options_create());
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options.get());
}

Size size_of(PangoLayout* layout) {
  int width = 0;
  int height = 0;
  pango_layout_get_size(layout, &width, &height);
  return {pango_units_to_double(width), pango_units_to_double(height)};
}

double anchor_share(Anchor anchor) {
  switch (anchor) {
    case Anchor::kLeft:
      return 0.0;
    case Anchor::kCenter:
      return 0.5;
    case Anchor::kRight:
      return 1.0;
  }
  return 0.0;
}

/// Replaces noncharacters, which well-formed text may contain but Cairo rejects.
std::string drawable(std::string_view text) {
  std::u32string characters = utf8::decode(text);
  std::replace_if(characters.begin(), characters.end(), utf8::is_noncharacter, U'\uFFFD');
  return utf8::encode(characters);
}

}  // namespace

struct Canvas::Impl {
  cairo_t* context;

  TextLayout layout(std::string_view text, const TextStyle& style) const {
    TextLayout layout(pango_cairo_create_layout(context));
    const Font font(pango_font_description_new());
    pango_font_description_set_family(font.get(), "sans");
    pango_font_description_set_absolute_size(font.get(), style.size * PANGO_SCALE);
    pango_font_description_set_weight(font.get(),
                                      style.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout.get(), font.get());
    pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
    const std::string shown = drawable(text);
    pango_layout_set_text(layout.get(), shown.data(), static_cast<int>(shown.size()));
    static GlyphWarnings warnings;
    if (pango_layout_get_unknown_glyphs_count(layout.get()) > 0) warnings.warn(shown);
    if (size_of(layout.get()).width > style.max_width) {
      pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
      pango_layout_set_width(layout.get(), pango_units_from_double(style.max_width));
    }
    return layout;
  }
};

Canvas::Canvas(cairo_t* context) : impl_(std::make_unique<Impl>(Impl{context})) {
  switch_hinting_off(context);
}

Canvas::~Canvas() = default;

void Canvas::fill(const Box& box, const Color& color) {
  set_source(impl_->context, color);
  cairo_rectangle(impl_->context, box.corner.x, box.corner.y, box.size.width, box.size.height);
  cairo_fill(impl_->context);
}

void Canvas::outline(const Box& box, const Stroke& stroke) {
  set_stroke(impl_->context, stroke);
  cairo_rectangle(impl_->context, box.corner.x, box.corner.y, box.size.width, box.size.height);
  cairo_stroke(impl_->context);
}

void Canvas::line(const Point& from, const Point& to, const Stroke& stroke) {
  set_stroke(impl_->context, stroke);
  cairo_move_to(impl_->context, from.x, from.y);
  cairo_line_to(impl_->context, to.x, to.y);
  cairo_stroke(impl_->context);
}

void Canvas::text(std::string_view text, const Point& position, Anchor anchor,
                  const TextStyle& style, double degrees) {
  const TextLayout layout = impl_->layout(text, style);
  const Size size = size_of(layout.get());
  cairo_t* context = impl_->context;
  cairo_save(context);
  set_source(context, style.color);
  cairo_translate(context, position.x, position.y);
  cairo_rotate(context, -degrees * std::acos(-1.0) / 180.0);
  cairo_move_to(context, -anchor_share(anchor) * size.width, -size.height / 2);
  pango_cairo_update_layout(context, layout.get());
  pango_cairo_show_layout(context, layout.get());
  cairo_restore(context);
}

Size Canvas::text_size(std::string_view text, const TextStyle& style) {
  return size_of(impl_->layout(text, style).get());
}

}  // namespace attend::draw
