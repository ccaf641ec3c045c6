#pragma once
#include <span>
#include <string_view>

namespace attend::server {

/// A file of src/server/page, which is in the program.
struct PageFile {
  std::string_view name;
  std::string_view content;
};

/// All of them (embed.cmake there writes the source).
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace attend::server
