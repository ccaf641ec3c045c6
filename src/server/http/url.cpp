#include "server/http/url.h"

#include <charconv>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

char byte_of(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2)
    throw bad_request("a percent sign must be followed by two hexadecimal digits");
  return static_cast<char>(value);
}

std::string decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      result += byte_of(text.substr(i + 1, 2));
      i += 2;
    } else {
      result += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

}  // namespace

Target parse_target(std::string_view target) {
  if (target.empty() || target.front() != '/') throw bad_request("the path must begin with /");
  const std::size_t mark = target.find('?');
  Target result{.path = decoded(target.substr(0, mark), /*plus_is_space=*/false), .query = {}};
  if (mark != std::string_view::npos) result.query = parse_form(target.substr(mark + 1));
  return result;
}

std::map<std::string, std::string> parse_form(std::string_view text) {
  std::map<std::string, std::string> result;
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view field = text.substr(0, end);
    const std::size_t equals = field.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : field.substr(equals + 1);
    if (!field.empty())
      result.emplace(decoded(field.substr(0, equals), true), decoded(value, true));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return result;
}

}  // namespace attend::server
