#include "align/link_file.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/number.h"
#include "core/utf8.h"

namespace attend::align {
namespace {

struct ParsedLink {
  Link link;
  char separator = '-';  // '-' or 'p'
};

struct Place {
  const std::filesystem::path& path;
  int64_t line = 0;
  int64_t column = 0;
};

[[noreturn]] void report(const Place& place, const std::string& message) {
  throw DataError(
      fmt::format("{}:{}:{}: {}", place.path.string(), place.line, place.column, message));
}

std::optional<int64_t> parse_position(std::string_view text) {
  const auto position = number_in<int32_t>(text);
  return text.starts_with('-') ? std::nullopt : position;
}

std::optional<ParsedLink> parse_link(std::string_view word, LinkFormat format) {
  const std::size_t at = word.find_first_of("-p");
  if (at == std::string_view::npos) return std::nullopt;
  if (word[at] == 'p' && format == LinkFormat::kPharaoh) return std::nullopt;
  const auto source = parse_position(word.substr(0, at));
  const auto target = parse_position(word.substr(at + 1));
  if (!source || !target) return std::nullopt;
  return ParsedLink{{*source, *target}, word[at]};
}

const char* expected(LinkFormat format) {
  return format == LinkFormat::kPharaoh ? "pairs such as 0-2"
                                        : "0-2 for a sure link or 0p2 for a possible one";
}

std::string outside(const Link& link, const char* side, int64_t position, int64_t words) {
  return fmt::format(
      "link {}-{} lies outside the sentence pair: {} position {} of a sentence of {} {} (positions "
      "start at 0)",
      link.source, link.target, side, position, words, words == 1 ? "word" : "words");
}

}  // namespace

Links LinkLine::links() const {
  Links links;
  for (const Entry& entry : entries_) links.insert(entry.link);
  return links;
}

GoldLinks LinkLine::gold() const {
  GoldLinks gold{.sure = {}, .possible = links()};
  for (const Entry& entry : entries_) {
    if (entry.sure) gold.sure.insert(entry.link);
  }
  return gold;
}

void LinkLine::check_inside(const PairSize& size, const std::filesystem::path& path,
                            int64_t line) const {
  for (const Entry& entry : entries_) {
    const Link& link = entry.link;
    const Place place{path, line, entry.column};
    if (link.source >= size.source)
      report(place, outside(link, "source", link.source, size.source));
    if (link.target >= size.target)
      report(place, outside(link, "target", link.target, size.target));
  }
}

std::optional<LinkLine> LinkReader::next() {
  const auto line = reader_.next();
  if (!line) return std::nullopt;
  LinkLine result;
  std::size_t counted = 0;  // byte offset that corresponds to `column`
  int64_t column = 1;
  for (const utf8::Span& span : utf8::word_spans(*line)) {
    const std::string_view text = *line;
    column += static_cast<int64_t>(utf8::length(text.substr(counted, span.begin - counted)));
    counted = span.begin;
    const std::string_view word = text.substr(span.begin, span.end - span.begin);
    const auto parsed = parse_link(word, format_);
    if (!parsed) {
      report({path(), line_number(), column},
             fmt::format("\"{}\" is not a link; expected {}, with word positions starting at 0",
                         excerpt(word), expected(format_)));
    }
    result.entries_.push_back({parsed->link, parsed->separator == '-', column});
  }
  return result;
}

LinkFile::LinkFile(std::filesystem::path path, LinkFormat format) : path_(std::move(path)) {
  LinkReader reader(path_, format);
  while (auto line = reader.next()) sentences_.push_back(std::move(*line));
}

Links LinkFile::links(std::size_t sentence) const {
  return sentences_.at(sentence).links();
}

GoldLinks LinkFile::gold(std::size_t sentence) const {
  return sentences_.at(sentence).gold();
}

void LinkFile::check_inside(std::size_t sentence, const PairSize& size) const {
  sentences_.at(sentence).check_inside(size, path_, static_cast<int64_t>(sentence) + 1);
}

}  // namespace attend::align
