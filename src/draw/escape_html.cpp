#include "draw/escape_html.h"

#include "core/utf8.h"

namespace attend::draw {

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : utf8::replace_invalid(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace attend::draw
