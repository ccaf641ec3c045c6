#include "draw/picture.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "core/closest_name.h"
#include "core/error.h"

namespace attend::draw {
namespace {

constexpr double kMargin = 12.0;
constexpr double kPixelsPerUnit = 2.0;
constexpr double kMostPixels = 16000.0;

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct DestroyContext {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;
using Context = std::unique_ptr<cairo_t, DestroyContext>;

struct NamedFormat {
  PictureFormat format;
  std::string_view name;
};
constexpr std::array kFormats{NamedFormat{PictureFormat::kSvg, "svg"},
                              NamedFormat{PictureFormat::kPng, "png"},
                              NamedFormat{PictureFormat::kPdf, "pdf"}};

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("drawing failed: {}", cairo_status_to_string(status)));
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(data, data + length);
  return CAIRO_STATUS_SUCCESS;
}

// Draws on a surface whose origin is the top left corner of `extents`.
void draw_on(cairo_surface_t* surface, const Box& extents,
             const std::function<void(Canvas&)>& draw) {
  const Context context(cairo_create(surface));
  cairo_translate(context.get(), -extents.corner.x, -extents.corner.y);
  Canvas canvas(context.get());
  canvas.fill(extents, {1.0, 1.0, 1.0});
  draw(canvas);
  check(cairo_status(context.get()));
}

// Rounds the corner of the box to whole units, so that lines at whole units fall between pixels.
Box measure(const std::function<void(Canvas&)>& draw) {
  const Surface surface(cairo_recording_surface_create(CAIRO_CONTENT_COLOR, nullptr));
  {
    const Context context(cairo_create(surface.get()));
    Canvas canvas(context.get());
    draw(canvas);
    check(cairo_status(context.get()));
  }
  Box ink;
  cairo_recording_surface_ink_extents(surface.get(), &ink.corner.x, &ink.corner.y, &ink.size.width,
                                      &ink.size.height);
  const Point corner{std::floor(ink.corner.x - kMargin), std::floor(ink.corner.y - kMargin)};
  return {corner,
          {std::ceil(ink.corner.x + ink.size.width + kMargin) - corner.x,
           std::ceil(ink.corner.y + ink.size.height + kMargin) - corner.y}};
}

void finish(cairo_surface_t* surface) {
  cairo_surface_finish(surface);
  check(cairo_surface_status(surface));
}

std::string render_png(const Box& extents, const std::function<void(Canvas&)>& draw) {
  const double longest = std::max(extents.size.width, extents.size.height);
  const double scale = std::min(kPixelsPerUnit, kMostPixels / longest);
  const Surface surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(extents.size.width * scale)),
      static_cast<int>(std::ceil(extents.size.height * scale))));
  check(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), scale, scale);
  draw_on(surface.get(), extents, draw);
  std::string bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

std::string render_vector(PictureFormat format, const Box& extents,
                          const std::function<void(Canvas&)>& draw) {
  std::string bytes;
  const auto create = format == PictureFormat::kSvg ? cairo_svg_surface_create_for_stream
                                                    : cairo_pdf_surface_create_for_stream;
  const Surface surface(create(append, &bytes, extents.size.width, extents.size.height));
  draw_on(surface.get(), extents, draw);
  finish(surface.get());
  return bytes;
}

}  // namespace

PictureFormat parse_picture_format(std::string_view name) {
  for (const NamedFormat& entry : kFormats) {
    if (entry.name == name) return entry.format;
  }
  const auto names = picture_format_names();
  throw UsageError(fmt::format("unknown picture format \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

std::string picture_format_name(PictureFormat format) {
  return std::string(std::ranges::find(kFormats, format, &NamedFormat::format)->name);
}

std::vector<std::string> picture_format_names() {
  std::vector<std::string> names;
  for (const NamedFormat& entry : kFormats) names.emplace_back(entry.name);
  return names;
}

std::string render_picture(PictureFormat format, const std::function<void(Canvas&)>& draw) {
  const Box extents = measure(draw);
  return format == PictureFormat::kPng ? render_png(extents, draw)
                                       : render_vector(format, extents, draw);
}

}  // namespace attend::draw
