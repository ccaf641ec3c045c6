#include "align/links.h"

#include <fmt/format.h>

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

}  // namespace attend::align
