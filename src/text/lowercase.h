#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attend::text {

/// A line in lower case (Unicode's full mappings, no language's own: "İ" gives two characters, a
/// final sigma its own form), with the way back to the bytes of the original.
class Lowercased {
 public:
  explicit Lowercased(std::string_view line);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The byte of the original line that stands where byte `offset` (0 .. text().size()) stands in
  /// text(). Inside a character whose length changed it is the first byte of that character.
  [[nodiscard]] std::size_t original(std::size_t offset) const;

 private:
  std::string text_;
  std::vector<std::size_t> original_;  // empty where no length changed: the same offsets
};

}  // namespace attend::text
