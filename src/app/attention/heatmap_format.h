#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/picture.h"

namespace attend::app {

/// How attention is drawn: a picture in that format for each sentence; unset: one HTML page for all
/// of them.
using HeatmapFormat = std::optional<draw::PictureFormat>;

/// The formats of pictures and "html".
[[nodiscard]] std::vector<std::string> heatmap_format_names();
/// Throws UsageError that lists the choices.
[[nodiscard]] HeatmapFormat parse_heatmap_format(std::string_view name);

/// The file of the page in the folder of heatmaps.
[[nodiscard]] std::filesystem::path heatmap_page(const std::filesystem::path& folder);

/// Throws UsageError if `file`, which `option` ("output") names, is one of those that heatmaps in
/// that folder (empty: none) and format may be written to. "-" and the empty path are standard
/// output.
void check_no_heatmap(const std::filesystem::path& file, std::string_view option,
                      const std::filesystem::path& folder, const HeatmapFormat& format);

/// Makes the folder for heatmaps where it is missing. Throws DataError if it cannot be made.
void make_heatmap_folder(const std::filesystem::path& folder);

}  // namespace attend::app
