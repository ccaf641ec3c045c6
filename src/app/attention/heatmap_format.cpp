#include "app/attention/heatmap_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/attention/kind_heatmaps.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"
#include "core/output_place.h"

namespace attend::app {

namespace {

constexpr const char* kPage = "html";

/// Returns true if `file` has the name of a picture in the folder.
bool is_picture_in(const std::filesystem::path& file, const std::filesystem::path& folder,
                   draw::PictureFormat format) {
  const bool is_picture = is_picture_stem(file.stem().string());
  if (!is_picture || file.extension() != fmt::format(".{}", draw::picture_format_name(format)))
    return false;
  return without_links(file).parent_path() == without_links(folder / file.filename()).parent_path();
}

}  // namespace

std::vector<std::string> heatmap_format_names() {
  auto names = draw::picture_format_names();
  names.emplace_back(kPage);
  return names;
}

HeatmapFormat parse_heatmap_format(std::string_view name) {
  if (name == kPage) return std::nullopt;
  const auto names = heatmap_format_names();
  if (std::ranges::find(names, name) != names.end()) return draw::parse_picture_format(name);
  throw UsageError(fmt::format("unknown heatmap format \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

std::filesystem::path heatmap_page(const std::filesystem::path& folder) {
  return folder / "index.html";
}

void check_no_heatmap(const std::filesystem::path& file, std::string_view option,
                      const std::filesystem::path& folder, const HeatmapFormat& format) {
  if (folder.empty()) return;
  const bool taken =
      format ? is_picture_in(file, folder, *format) : is_same_output(file, heatmap_page(folder));
  if (!taken) return;
  throw UsageError(fmt::format("{} {} is a file that {} {} writes; give another file name",
                               option_name(option), file.string(), option_name("heatmaps"),
                               folder.string()));
}

void make_heatmap_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw DataError(folder, fmt::format("cannot create the folder: {}", failed.message()));
}

}  // namespace attend::app
