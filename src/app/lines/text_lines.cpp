#include "app/lines/text_lines.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/file.h"

namespace attend::app {

TextLines read_lines(const std::filesystem::path& path, bool warns) {
  LineReader reader(path);
  TextLines text{path, {}};
  while (auto line = reader.next()) text.lines.push_back(std::move(*line));
  if (warns) warn_about_repairs(reader);
  return text;
}

bool can_read_again(const std::filesystem::path& path) {
  std::error_code failed;
  return path != "-" && !std::filesystem::is_other(path, failed);
}

void check_same_count(const std::filesystem::path& a, std::size_t lines_of_a,
                      const std::filesystem::path& b, std::size_t lines_of_b) {
  if (lines_of_a == lines_of_b) return;
  throw DataError(fmt::format("{} has {} lines but {} has {}; they must match line by line",
                              a.string(), lines_of_a, b.string(), lines_of_b));
}

void check_not_empty(const std::filesystem::path& path, std::size_t lines) {
  if (lines == 0) throw DataError(path, "has no lines; there is nothing to score");
}

}  // namespace attend::app
