#pragma once
#include <string>
#include <string_view>

namespace attend::draw {

/// Debian's package with a font for the first character of `text` that is neither Latin nor common
/// to all scripts: "fonts-noto-cjk" for Chinese, Japanese and Korean, else "fonts-noto-core". Empty
/// if there is no such character. Requires: well-formed UTF-8.
[[nodiscard]] std::string font_package(std::string_view text);

/// Warns that no installed font has all characters of `text`, once for each package that would
/// help. Thread-safe.
void warn_of_missing_glyphs(std::string_view text);

}  // namespace attend::draw
