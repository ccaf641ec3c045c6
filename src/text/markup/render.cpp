#include "text/markup/render.h"

#include <algorithm>

#include "text/document_line.h"
#include "text/markup/markup_reader.h"

namespace attend::text {
namespace {

class PartWriter {
 public:
  PartWriter(const MarkedPart& part, std::string_view translation, Markup markup)
      : part_(part), translation_(translation), markup_(markup) {}

  std::string write(const std::vector<LinkedWord>& words) {
    const TagPlaces places = place_tags(part_, words);
    std::size_t end = 0;
    for (std::size_t t = 0; t <= words.size(); ++t) {
      const utf8::Span word =
          t < words.size() ? words[t].target : utf8::Span{translation_.size(), translation_.size()};
      write_between(between(end, word.begin), with_text(places[t]));
      text_ += between(word.begin, word.end);
      end = word.end;
    }
    write_text();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view between(std::size_t begin, std::size_t end) const {
    return translation_.substr(begin, end - begin);
  }

  /// `tags` without the pairs that need text and enclose none.
  [[nodiscard]] std::vector<const PartTag*> with_text(const std::vector<std::size_t>& tags) const {
    std::vector<std::size_t> kept;
    for (const std::size_t i : tags) {
      const PartTag& tag = part_.tags[i];
      const bool ends_nothing = tag.needs_text && tag.partner && !kept.empty() &&
                                kept.back() == *tag.partner && *tag.partner < i;
      if (ends_nothing) {
        kept.pop_back();
      } else {
        kept.push_back(i);
      }
    }
    std::vector<const PartTag*> result;
    for (const std::size_t i : kept) result.push_back(&part_.tags[i]);
    return result;
  }

  void write_between(std::string_view blank, const std::vector<const PartTag*>& tags) {
    if (tags.empty()) {
      text_ += blank;
      return;
    }
    write_text();
    const auto given =
        std::ranges::find_if(tags, [](const PartTag* tag) { return !tag->blank.empty(); });
    const bool as_given = given != tags.end() && !blank.empty();
    const auto middle = std::ranges::find_if(tags, [](auto* tag) { return !tag->before_blank; });
    for (auto tag = tags.begin(); tag != middle; ++tag) write_tag(**tag);
    out_ += as_given ? (*given)->blank : escape_markup(blank, markup_);
    for (auto tag = middle; tag != tags.end(); ++tag) write_tag(**tag);
  }

  void write_tag(const PartTag& tag) {
    // "!" before a link would make it an image.
    const bool makes_image = markup_ == Markup::markdown && tag.raw.starts_with('[') &&
                             tag.blanks_before.empty() && out_.ends_with('!');
    if (makes_image) out_.insert(out_.size() - 1, "\\");
    out_ += tag.blanks_before;
    out_ += tag.raw;
    out_ += tag.blanks_after;
  }

  void write_text() {
    out_ += escape_markup(text_, markup_);
    text_.clear();
  }

  const MarkedPart& part_;
  std::string_view translation_;
  Markup markup_;
  std::string out_;
  std::string text_;  // to be escaped
};

/// Puts a backslash into a mark of a list or heading that the translation begins with, as in
/// "1\. Mai".
std::string without_new_marks(std::string line, std::size_t marks) {
  if (leading_marks(line) == marks) return line;
  const char first = line[marks];
  const bool number = (first >= '0' && first <= '9') || first == '(' ||
                      (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  const std::size_t end = number ? line.find_first_of(".)", marks) : marks;
  if (end != std::string::npos && static_cast<unsigned char>(line[end]) < 0x80)
    line.insert(end, "\\");
  return line;
}

}  // namespace

std::string render_part(const MarkedPart& part, std::string_view translation,
                        const std::vector<LinkedWord>& words, Markup markup) {
  if (part.tags.empty()) return escape_markup(translation, markup);
  return PartWriter(part, translation, markup).write(cut_copied_words(part, translation, words));
}

std::string join_parts(const std::string& raw, const std::vector<MarkedPart>& parts,
                       const std::vector<std::string>& rendered, Markup markup) {
  DocumentLine line{.text = raw, .sentences = {}};
  for (const MarkedPart& part : parts) line.sentences.push_back(part.raw);
  std::string joined = join_line(line, rendered);
  if (markup != Markup::markdown) return joined;
  return without_new_marks(std::move(joined), leading_marks(raw));
}

}  // namespace attend::text
