#pragma once
#include <span>
#include <string_view>

namespace attend::server {

/// A file of the page as the build found it (page/embed.cmake writes the source).
struct PageFile {
  std::string_view path;  ///< where it is served: "/", "/page.css"
  std::string_view type;  ///< the value of Content-Type
  std::string_view text;  ///< UTF-8
};

/// All files of the page. They need no more than `Content-Security-Policy: default-src 'self'`.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace attend::server
