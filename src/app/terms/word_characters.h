#pragma once
#include <string>
#include <string_view>

namespace attend::app {

/// True for letters, their marks and digits.
[[nodiscard]] bool is_of_word(char32_t character);

/// True for letters of scripts that write words without spaces between them, such as Chinese and
/// Thai.
[[nodiscard]] bool is_unspaced(char32_t character);

/// Folds upper and lower case (Unicode's simple case folding).
[[nodiscard]] std::u32string folded(std::u32string_view text);

inline constexpr std::string_view kPieceSpace = "\u2581";  ///< begins a piece that follows a space

/// The text of a piece without its leading space.
[[nodiscard]] std::u32string written(std::string_view piece);

}  // namespace attend::app
