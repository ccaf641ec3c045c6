#include "align/links.h"

#include <fmt/format.h>

#include "align/link_file.h"
#include "core/error.h"

namespace attend::align {
namespace {

void append(std::string& text, const Link& link, char separator) {
  if (!text.empty()) text += ' ';
  text += fmt::format("{}{}{}", link.source, separator, link.target);
}

}  // namespace

std::string format_pharaoh(const Links& links) {
  std::string text;
  for (const Link& link : links) append(text, link, '-');
  return text;
}

std::string format_gold(const GoldLinks& gold) {
  Links all = gold.possible;
  all.insert(gold.sure.begin(), gold.sure.end());
  std::string text;
  for (const Link& link : all) append(text, link, gold.sure.contains(link) ? '-' : 'p');
  return text;
}

Links transposed(const Links& links) {
  Links result;
  for (const Link& link : links) result.insert({link.target, link.source});
  return result;
}

std::vector<Links> read_pharaoh(const std::filesystem::path& path) {
  const LinkFile file(path, LinkFormat::kPharaoh);
  std::vector<Links> all;
  for (std::size_t i = 0; i < file.size(); ++i) all.push_back(file.links(i));
  return all;
}

std::vector<GoldLinks> read_gold(const std::filesystem::path& path) {
  const LinkFile file(path, LinkFormat::kGold);
  std::vector<GoldLinks> all;
  for (std::size_t i = 0; i < file.size(); ++i) all.push_back(file.gold(i));
  return all;
}

void check_inside(const Links& links, int64_t source_words, int64_t target_words,
                  const std::filesystem::path& path, int64_t line) {
  for (const Link& link : links) {
    if (link.source < source_words && link.target < target_words) continue;
    throw DataError(
        path, line,
        fmt::format(
            "link {}-{} lies outside the sentence pair, which has {} source and {} target words",
            link.source, link.target, source_words, target_words));
  }
}

}  // namespace attend::align
