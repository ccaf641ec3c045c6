#pragma once
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace attend::draw {

/// Debian's package with a font for the first character of `text` that most fonts lack:
/// "fonts-noto-cjk" for Chinese, Japanese and Korean, "fonts-noto-color-emoji" for pictographs, and
/// "fonts-noto-core" for all other scripts but Latin. Empty if there is no such character.
/// Requires: well-formed UTF-8.
[[nodiscard]] std::string font_package(std::string_view text);

/// Warnings about texts that no installed font can draw. Thread-safe.
class GlyphWarnings {
 public:
  /// Logs a warning, once for each package that would help; none if no package would.
  void warn(std::string_view text);

 private:
  std::mutex mutex_;
  std::set<std::string> packages_;
};

}  // namespace attend::draw
