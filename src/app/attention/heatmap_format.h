#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/picture.h"

namespace attend::app {

/// The picture format, one picture per sentence; unset: one HTML page for all sentences.
using HeatmapFormat = std::optional<draw::PictureFormat>;

/// The picture formats and "html".
[[nodiscard]] std::vector<std::string> heatmap_format_names();
/// The format called `name`. Throws UsageError, listing the choices, for an unknown name.
[[nodiscard]] HeatmapFormat parse_heatmap_format(std::string_view name);

/// The file of the HTML page in `folder`.
[[nodiscard]] std::filesystem::path heatmap_page(const std::filesystem::path& folder);

/// Throws UsageError if `file`, given as `option` ("output"), is a file that heatmaps of this
/// format in `folder` (empty: none) may overwrite. "-" and the empty path are standard output.
void check_no_heatmap(const std::filesystem::path& file, std::string_view option,
                      const std::filesystem::path& folder, const HeatmapFormat& format);

/// Creates the folder if it is missing. Throws DataError on failure.
void make_heatmap_folder(const std::filesystem::path& folder);

}  // namespace attend::app
