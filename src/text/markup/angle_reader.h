#pragma once
#include <cstddef>
#include <string>

#include "text/markup/angle_mark.h"
#include "text/markup/markup_reader.h"

namespace attend::text {

/// Reads "<" and "&" for XML, HTML and the HTML in Markdown, and remembers a mark or an element
/// that continues on the next line.
class AngleParts {
 public:
  /// `markup`: xml or html.
  explicit AngleParts(Markup markup) : markup_(markup) {}

  /// Adds the rest of a mark or element that began on an earlier line.
  void continue_open(MarkedLineBuilder& line);
  /// Adds the mark or the character that begins with "<".
  void add_mark(MarkedLineBuilder& line);
  /// Adds the reference or the character that begins with "&".
  void add_entity(MarkedLineBuilder& line) const;
  [[nodiscard]] std::string open_part() const { return open_; }

 private:
  void add(const AngleMark& mark, MarkedLineBuilder& line);
  void add_element(const AngleMark& mark, MarkedLineBuilder& line);
  /// The length of `text` up to the end of the open element; all of it if the element continues.
  std::size_t skip_element(std::string_view text);
  /// The length of `text` up to the end of the open mark; all of it if the mark continues.
  std::size_t skip_mark(std::string_view text);
  void begin_element(const std::string& name);

  Markup markup_;
  std::string open_;     // the mark or element that continues on the next line
  std::string end_;      // the text that ends it: "-->"; ">" for a tag; empty for an element
  char quote_ = '\0';    // open in a tag
  std::string element_;  // the name of an open element that is not translated
  int depth_ = 0;        // how many nested elements of this name are open
};

/// A reader for xml or html.
class AngleReader final : public MarkupReader {
 public:
  explicit AngleReader(Markup markup) : parts_(markup) {}
  MarkedLine read(std::string line) override;
  [[nodiscard]] std::string open_part() const override { return parts_.open_part(); }

 private:
  AngleParts parts_;
};

}  // namespace attend::text
