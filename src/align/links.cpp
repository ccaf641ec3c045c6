#include "align/links.h"

#include <fmt/format.h>

namespace attend::align {

std::string format_pharaoh(const Links& links) {
  std::string text;
  for (const Link& link : links) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}-{}", link.source, link.target);
  }
  return text;
}

Links transposed(const Links& links) {
  Links result;
  for (const Link& link : links) result.insert({link.target, link.source});
  return result;
}

}  // namespace attend::align
