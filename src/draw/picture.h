#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/canvas.h"

namespace attend::draw {

/// File formats of pictures; the names are file extensions too.
enum class PictureFormat { kSvg, kPng, kPdf };

/// "svg", "png", "pdf". Throws UsageError that lists the choices.
[[nodiscard]] PictureFormat parse_picture_format(std::string_view name);
[[nodiscard]] std::string picture_format_name(PictureFormat format);
[[nodiscard]] std::vector<std::string> picture_format_names();

/// The bytes of a picture file that shows all that `draw` draws, wherever on the canvas it does so,
/// on white with a margin. `draw` is called twice, first to measure. Bitmaps have two pixels per
/// unit, fewer where they would have more than 16,000 in one direction. Throws std::runtime_error
/// if Cairo fails.
[[nodiscard]] std::string render_picture(PictureFormat format,
                                         const std::function<void(Canvas&)>& draw);

}  // namespace attend::draw
