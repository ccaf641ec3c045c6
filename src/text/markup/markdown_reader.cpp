#include "text/markup/markdown_reader.h"

#include <algorithm>
#include <utility>

#include "text/document_line.h"
#include "text/markup/markdown_marks.h"

namespace attend::text {
namespace {

/// The marks of a fence at the beginning of `text`, at least three; empty if there is none.
std::string_view fence_of(std::string_view text) {
  if (!text.starts_with("```") && !text.starts_with("~~~")) return {};
  return text.substr(0, std::min(text.find_first_not_of(text.front()), text.size()));
}

/// "[name]: url"; footnotes have text instead.
bool is_link_definition(std::string_view text) {
  if (!text.starts_with('[') || text.starts_with("[^")) return false;
  const std::size_t end = text.find_first_of("[]", 1);
  return end != std::string_view::npos && text.substr(end).starts_with("]:");
}

/// Where the "##" at the end of a heading begins; npos if there is none.
std::size_t heading_end(std::string_view line, std::size_t marks) {
  if (line.substr(0, marks).find('#') == std::string_view::npos) return std::string_view::npos;
  const std::size_t end = line.find_last_not_of(" \t");
  const std::size_t begin = line.find_last_not_of('#', end);
  const bool has_end = end != std::string_view::npos && begin != std::string_view::npos &&
                       begin < end && begin >= marks && line[begin] == ' ';
  return has_end ? begin + 1 : std::string_view::npos;
}

}  // namespace

bool MarkdownReader::is_fenced(std::string_view content) {
  const std::string_view fence = fence_of(content);
  const std::string_view after = content.substr(fence.size());
  if (fence_.empty()) {
    // Backticks with another one later on the line are inline code, not a fence.
    const bool opens = !fence.empty() && (fence.front() == '~' || after.find('`') == after.npos);
    if (opens) fence_ = fence;
    return opens;
  }
  const bool closes = fence.starts_with(fence_) && after.find_first_not_of(" \t") == after.npos;
  if (closes) fence_.clear();
  return true;
}

std::string MarkdownReader::open_part() const {
  return fence_.empty() ? html_.open_part() : fence_;
}

MarkedLine MarkdownReader::read(std::string text) {
  MarkedLineBuilder line(std::move(text));
  if (fence_.empty()) html_.continue_open(line);
  if (line.rest().empty()) return line.finish();
  const std::size_t marks = line.before().empty() ? leading_marks(line.rest()) : 0;
  const std::string_view content = line.rest().substr(marks);
  if (is_fenced(content) || is_link_definition(content)) {
    line.add_single(line.rest().size()).separates = true;
    return line.finish();
  }
  if (marks > 0) line.add_single(marks).separates = true;
  read_inline(line);
  return line.finish();
}

void MarkdownReader::read_inline(MarkedLineBuilder& line) {
  const std::size_t begin = line.before().size();
  const std::string raw = std::string(line.before()) + std::string(line.rest());
  const std::size_t end = heading_end(raw, begin);
  const MarkdownMarks marks = find_markdown_marks(raw, begin);
  while (!line.rest().empty()) {
    const std::size_t at = line.before().size();
    if (at == end) {
      line.add_single(line.rest().size());
    } else if (const auto mark = marks.find(at); mark != marks.end()) {
      Tag& tag = line.add_tag(mark->second.bytes, mark->second.role, mark->second.element);
      tag.separates = mark->second.separates;
      tag.needs_text = mark->second.needs_text;
    } else if (is_markdown_escape(line.rest())) {
      line.add_decoded(line.rest().substr(1, 1), 2);
    } else if (line.rest().starts_with('<')) {
      html_.add_mark(line);
    } else if (line.rest().starts_with('&')) {
      html_.add_entity(line);
    } else {
      line.add_text(utf8::first_character(line.rest()).bytes);
    }
  }
}

}  // namespace attend::text
