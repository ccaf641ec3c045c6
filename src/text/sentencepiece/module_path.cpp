#include "text/sentencepiece/module_path.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"

namespace attend::text {

namespace {

namespace fs = std::filesystem;

constexpr const char* kModuleName = "attend_sentencepiece.so";

std::string one_a_line(const std::vector<fs::path>& places) {
  std::string lines;
  for (const fs::path& place : places) lines += "\n  " + place.string();
  return lines;
}

}  // namespace

std::vector<fs::path> module_places(const fs::path& folder) {
  return {folder / kModuleName, (folder / "../lib/attend" / kModuleName).lexically_normal(),
          (folder / "../../src/text" / kModuleName).lexically_normal()};
}

fs::path find_module(const fs::path& folder) {
  const std::vector<fs::path> places = module_places(folder);
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) return place;
  }
  throw DataError(
      fmt::format("{}, a part of attend, is missing; expected one of{}\n"
                  "Install attend again, or copy {} beside the program",
                  kModuleName, one_a_line(places), kModuleName));
}

}  // namespace attend::text
