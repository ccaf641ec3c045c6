#include "align/links.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/utf8.h"

namespace attend::align {
namespace {

struct ParsedLink {
  Link link;
  char separator = '-';  // '-' or 'p'
};

std::optional<int64_t> parse_position(std::string_view text) {
  int32_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
    return std::nullopt;
  return position;
}

std::optional<ParsedLink> parse_link(std::string_view word) {
  const std::size_t at = word.find_first_of("-p");
  if (at == std::string_view::npos) return std::nullopt;
  const auto source = parse_position(word.substr(0, at));
  const auto target = parse_position(word.substr(at + 1));
  if (!source || !target) return std::nullopt;
  return ParsedLink{{*source, *target}, word[at]};
}

// Hands every link of a line to `add`, which says whether the separator is allowed.
template <class Add>
void parse_line(std::string_view line, const LineReader& reader, std::string_view expected,
                Add add) {
  for (const std::string& word : utf8::split_words(line)) {
    const auto parsed = parse_link(word);
    if (parsed && add(*parsed)) continue;
    throw DataError(
        reader.path(), reader.line_number(),
        fmt::format("\"{}\" is not a link; expected {}, with word positions counted from 0", word,
                    expected));
  }
}

}  // namespace

std::string format_pharaoh(const Links& links) {
  std::string text;
  for (const Link& link : links) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}-{}", link.source, link.target);
  }
  return text;
}

std::vector<Links> read_pharaoh(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<Links> sentences;
  while (const auto line = reader.next()) {
    Links& links = sentences.emplace_back();
    parse_line(*line, reader, "pairs such as 0-2", [&](const ParsedLink& parsed) {
      if (parsed.separator != '-') return false;
      links.insert(parsed.link);
      return true;
    });
  }
  return sentences;
}

std::vector<GoldLinks> read_gold(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<GoldLinks> sentences;
  while (const auto line = reader.next()) {
    GoldLinks& gold = sentences.emplace_back();
    parse_line(*line, reader, "0-2 for a sure link or 0p2 for a possible one",
               [&](const ParsedLink& parsed) {
                 gold.possible.insert(parsed.link);
                 if (parsed.separator == '-') gold.sure.insert(parsed.link);
                 return true;
               });
  }
  return sentences;
}

void check_inside(const Links& links, int64_t source_words, int64_t target_words,
                  const std::filesystem::path& path, int64_t line) {
  for (const Link& link : links) {
    if (link.source < source_words && link.target < target_words) continue;
    throw DataError(
        path, line,
        fmt::format(
            "link {}-{} lies outside the sentence pair, which has {} source and {} target words; "
            "positions count from 0",
            link.source, link.target, source_words, target_words));
  }
}

}  // namespace attend::align
