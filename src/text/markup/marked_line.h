#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/named_enum.h"
#include "core/utf8.h"

namespace attend::text {

/// The markup of a text.
enum class Markup { xml, html, markdown };

constexpr auto name_table(Markup) {
  return std::to_array<NamedValue<Markup>>(
      {{Markup::xml, "xml"}, {Markup::html, "html"}, {Markup::markdown, "markdown"}});
}

enum class TagRole {
  kOpen,    ///< begins an element
  kClose,   ///< ends one
  kSingle,  ///< stands for itself: <br/>, a comment, `code` that is not translated
};

/// A part of a line that is not translated.
struct Tag {
  utf8::Span raw;          ///< its bytes in MarkedLine::raw
  std::size_t offset = 0;  ///< its place in MarkedLine::text
  TagRole role = TagRole::kSingle;
  bool separates = false;   ///< text before it and text after it are translated apart
  bool needs_text = false;  ///< it and its partner mean nothing without text between them: **
  std::optional<std::size_t> partner = {};  ///< the other tag of its element in this line
};

/// A line with markup: its text, and the tags in it. Elements are properly nested. The raw line
/// consists of all tags and of the characters of the text as they were written ("&amp;" for "&").
struct MarkedLine {
  std::string raw;
  std::string text;                 ///< without tags, with decoded entities
  std::vector<std::size_t> origin;  ///< for each byte of `text`, and its end: the byte in `raw`
  std::vector<Tag> tags;            ///< in order
};

/// Builds a MarkedLine from left to right, and pairs its tags: a closing tag ends the nearest open
/// element of its name, and the tags that stay open inside of it have no partner.
class MarkedLineBuilder {
 public:
  explicit MarkedLineBuilder(std::string raw);

  /// The part that has not been added yet.
  [[nodiscard]] std::string_view rest() const;
  /// The part that has been added.
  [[nodiscard]] std::string_view before() const;
  /// Adds the next bytes as they are.
  void add_text(std::size_t bytes);
  /// Adds `text`, which the next bytes encode.
  void add_decoded(std::string_view text, std::size_t bytes);
  /// Adds the next bytes as a tag that neither opens nor closes an element.
  Tag& add_single(std::size_t bytes);
  /// Adds the next bytes as a tag that opens or closes an element `name`.
  Tag& add_tag(std::size_t bytes, TagRole role, const std::string& name);
  /// The last tag if nothing follows it yet; null otherwise.
  [[nodiscard]] const Tag* tag_before() const;
  /// The line. Requires: the rest is empty.
  [[nodiscard]] MarkedLine finish();

 private:
  struct OpenTag {
    std::size_t tag;
    std::string name;
  };

  void close(std::size_t tag, const std::string& name);
  void separate_deep_pairs();

  MarkedLine line_;
  std::size_t position_ = 0;
  std::vector<OpenTag> open_;
  std::unordered_map<std::string, std::size_t> open_count_;  // by name
};

}  // namespace attend::text
