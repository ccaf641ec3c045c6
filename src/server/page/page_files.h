#pragma once
#include <span>
#include <string_view>

namespace attend::server {

/// A file of the page, compiled in by page/embed.cmake.
struct PageFile {
  std::string_view path;  ///< path of its URL: "/", "/page.css"
  std::string_view type;  ///< value of Content-Type
  std::string_view text;  ///< UTF-8
};

/// All files of the page. They work with `Content-Security-Policy: default-src 'self'`.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace attend::server
