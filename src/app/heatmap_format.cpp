#include "app/heatmap_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/closest_name.h"
#include "core/error.h"

namespace attend::app {

namespace {

constexpr const char* kPage = "html";

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
  throw UsageError(fmt::format("no heatmap format \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

std::filesystem::path heatmap_page(const std::filesystem::path& folder) {
  return folder / "index.html";
}

void make_heatmap_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw DataError(folder, fmt::format("cannot make this folder: {}", failed.message()));
}

}  // namespace attend::app
