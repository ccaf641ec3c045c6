#include "text/markup/marked_part.h"

#include <algorithm>
#include <utility>

#include "text/characters.h"

namespace attend::text {
namespace {

bool is_blank_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_blank(utf8::first_character(text.substr(at)).code);
}

std::size_t end_of_blanks(std::string_view text, std::size_t at) {
  while (is_blank_at(text, at)) at += utf8::first_character(text.substr(at)).bytes;
  return at;
}

std::size_t begin_of_blanks(std::string_view text, std::size_t at) {
  while (at > 0) {
    const utf8::Character last = last_character(text.substr(0, at));
    if (!is_blank(last.code)) return at;
    at -= last.bytes;
  }
  return at;
}

/// Cuts one part out of a line.
class PartCutter {
 public:
  PartCutter(const MarkedLine& line, const utf8::Span& text) : line_(line), text_(text) {
    find_own_tags();
  }

  MarkedPart cut() const {
    MarkedPart part{
        .text = line_.text.substr(text_.begin, text_.end - text_.begin), .tags = {}, .raw = raw()};
    for (std::size_t i = first_; i < last_; ++i) {
      const Tag& tag = line_.tags[i];
      PartTag& own = part.tags.emplace_back();
      own.raw = raw_between(tag.raw.begin, tag.raw.end);
      own.offset = std::clamp(tag.offset, text_.begin, text_.end) - text_.begin;
      own.role = tag.role;
      own.needs_text = tag.needs_text;
      if (tag.partner && *tag.partner >= first_ && *tag.partner < last_)
        own.partner = *tag.partner - first_;
    }
    for (std::size_t i = first_; i < last_; ++i) add_blanks(i, part.tags[i - first_]);
    for (std::size_t i = first_; i < last_;) i = add_separating_blank(i, part);
    return part;
  }

 private:
  [[nodiscard]] std::string raw_between(std::size_t begin, std::size_t end) const {
    return line_.raw.substr(begin, end - begin);
  }

  [[nodiscard]] bool is_inside(std::size_t offset) const {
    return offset > text_.begin && offset < text_.end;
  }
  [[nodiscard]] bool has_partner_inside(const Tag& tag) const {
    return tag.partner && is_inside(line_.tags[*tag.partner].offset);
  }

  /// Finds the tags of the part: those inside its text, and those at its edges up to the outermost
  /// tag that has a partner inside.
  void find_own_tags() {
    const auto& tags = line_.tags;
    const auto first_at = [&](std::size_t offset) {
      const auto found = std::ranges::lower_bound(tags, offset, {}, &Tag::offset);
      return static_cast<std::size_t>(found - tags.begin());
    };
    first_ = first_at(text_.begin + 1);
    last_ = std::max(first_at(text_.end), first_);
    const std::size_t left = begin_of_blanks(line_.text, text_.begin);
    for (std::size_t i = first_; i > 0 && tags[i - 1].offset >= left; --i) {
      if (has_partner_inside(tags[i - 1])) first_ = i - 1;
      if (tags[i - 1].separates) break;
    }
    const std::size_t right = end_of_blanks(line_.text, text_.end);
    for (std::size_t i = last_; i < tags.size() && tags[i].offset <= right; ++i) {
      if (tags[i].separates) break;
      if (has_partner_inside(tags[i])) last_ = i + 1;
    }
  }

  /// Where the tag or character before tag `i` ends in the raw line.
  [[nodiscard]] std::size_t raw_end_before(std::size_t i) const {
    const std::size_t blanks = begin_of_blanks(line_.text, line_.tags[i].offset);
    const bool follows = i > 0 && line_.tags[i - 1].offset >= blanks;
    if (follows) return line_.tags[i - 1].raw.end;
    return blanks < line_.tags[i].offset ? line_.origin[blanks] : line_.tags[i].raw.begin;
  }
  /// Where the tag or character after tag `i` begins in the raw line.
  [[nodiscard]] std::size_t raw_begin_after(std::size_t i) const {
    const std::size_t end = end_of_blanks(line_.text, line_.tags[i].offset);
    const bool precedes = i + 1 < line_.tags.size() && line_.tags[i + 1].offset <= end;
    return precedes ? line_.tags[i + 1].raw.begin : line_.origin[end];
  }

  [[nodiscard]] utf8::Span raw() const {
    const bool starts_with_tag = first_ < last_ && line_.tags[first_].offset <= text_.begin;
    const bool ends_with_tag = first_ < last_ && line_.tags[last_ - 1].offset >= text_.end;
    utf8::Span span{line_.origin[text_.begin], line_.origin[text_.end]};
    if (starts_with_tag) span.begin = line_.tags[first_].raw.begin;
    const auto after = std::ranges::lower_bound(line_.tags, text_.end, {}, &Tag::offset);
    if (ends_with_tag) {
      span.end = line_.tags[last_ - 1].raw.end;
    } else if (after != line_.tags.end() && after->offset == text_.end) {
      span.end = after->raw.begin;
    }
    return span;
  }

  /// Adds the blanks before a tag at the end of the part, or after any other tag.
  void add_blanks(std::size_t i, PartTag& own) const {
    const Tag& tag = line_.tags[i];
    if (tag.offset >= text_.end) {
      own.blanks_before = raw_between(raw_end_before(i), tag.raw.begin);
      own.before_blank = true;
    } else {
      own.blanks_after = raw_between(tag.raw.end, raw_begin_after(i));
    }
  }

  /// Takes the first blanks among the tags between two words as those that separate the words.
  /// Returns the index of the tag after these tags.
  std::size_t add_separating_blank(std::size_t first, MarkedPart& part) const {
    const std::size_t end = end_of_blanks(line_.text, line_.tags[first].offset);
    std::size_t last = first + 1;
    while (last < last_ && line_.tags[last].offset <= end) ++last;
    if (!is_inside(line_.tags[first].offset) || !is_inside(line_.tags[last - 1].offset))
      return last;
    const auto own = [&](std::size_t i) -> PartTag& { return part.tags[i - first_]; };
    std::string blank = raw_between(raw_end_before(first), line_.tags[first].raw.begin);
    std::size_t before = first;  // the first tag after the blank
    while (blank.empty() && before < last) blank = std::exchange(own(before++).blanks_after, "");
    for (std::size_t i = first; i < last; ++i) {
      own(i).blank = blank;
      own(i).before_blank = blank.empty() ? own(i).role == TagRole::kClose : i < before;
    }
    return last;
  }

  const MarkedLine& line_;
  utf8::Span text_;
  std::size_t first_ = 0;  // the tags of the part: from here
  std::size_t last_ = 0;   // up to here
};

}  // namespace

std::vector<utf8::Span> texts_between_separators(const MarkedLine& line) {
  std::vector<utf8::Span> texts;
  const auto add = [&](std::size_t begin, std::size_t end) {
    const utf8::Span span = trimmed(line.text, {begin, end});
    if (has_letter(std::string_view(line.text).substr(span.begin, span.end - span.begin)))
      texts.push_back(span);
  };
  std::size_t begin = 0;
  for (const Tag& tag : line.tags) {
    if (!tag.separates) continue;
    add(begin, tag.offset);
    begin = tag.offset;
  }
  add(begin, line.text.size());
  return texts;
}

std::vector<MarkedPart> cut_parts(const MarkedLine& line, const std::vector<utf8::Span>& texts) {
  std::vector<MarkedPart> parts;
  parts.reserve(texts.size());
  for (const utf8::Span& text : texts) parts.push_back(PartCutter(line, text).cut());
  return parts;
}

}  // namespace attend::text
