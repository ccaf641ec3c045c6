#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attend::text {

/// A line in lower case, with a map to the bytes of the original. Uses Unicode's full,
/// language-independent mappings: "İ" becomes two characters, and a final sigma has its own form.
class Lowercased {
 public:
  explicit Lowercased(std::string_view line);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// The offset in the original line that corresponds to `offset` (0 .. text().size()) in text().
  /// Inside a character whose length changed, it is the offset of that character.
  [[nodiscard]] std::size_t original(std::size_t offset) const;

 private:
  std::string text_;
  std::vector<std::size_t> original_;  // empty if no length changed: offsets are equal
};

}  // namespace attend::text
