#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/canvas.h"

namespace attend::draw {

/// File formats of pictures. Their names are also the file extensions.
enum class PictureFormat { kSvg, kPng, kPdf };

/// Parses "svg", "png" or "pdf". Throws UsageError with the choices for another name.
[[nodiscard]] PictureFormat parse_picture_format(std::string_view name);
[[nodiscard]] std::string picture_format_name(PictureFormat format);
[[nodiscard]] std::vector<std::string> picture_format_names();

/// Returns the bytes of a picture file: what `draw` draws, at any coordinates, on white with a
/// margin. Calls `draw` twice, first to measure. PNG has two pixels per canvas unit, or fewer to
/// stay within 16,000 pixels in each direction. Throws std::runtime_error if Cairo fails.
[[nodiscard]] std::string render_picture(PictureFormat format,
                                         const std::function<void(Canvas&)>& draw);

}  // namespace attend::draw
