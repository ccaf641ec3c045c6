#pragma once
#include <string>
#include <string_view>

#include "text/markup/angle_reader.h"
#include "text/markup/markup_reader.h"

namespace attend::text {

/// A reader for Markdown.
class MarkdownReader final : public MarkupReader {
 public:
  MarkedLine read(std::string line) override;
  [[nodiscard]] std::string open_part() const override;

 private:
  /// True if the line is a fence, or inside one.
  bool is_fenced(std::string_view content);
  void read_inline(MarkedLineBuilder& line);

  AngleParts html_{Markup::html};
  std::string fence_;  // the marks of the open fence; empty: none
};

}  // namespace attend::text
