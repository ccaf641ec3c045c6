#include "server/http/multipart.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

constexpr std::size_t kLongestBoundary = 70;  // RFC 2046, 5.1.1
constexpr std::string_view kLineEnd = "\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// The value of a parameter: `b` for "name" in `form-data; name="b"`.
std::optional<std::string> parameter(std::string_view header, std::string_view name) {
  for (std::size_t next = header.find(';'); next != std::string_view::npos;) {
    header.remove_prefix(next + 1);
    const std::size_t equals = header.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = trimmed(header.substr(0, equals));
    header = trimmed(header.substr(equals + 1));
    const bool quoted = header.starts_with('"');
    const std::size_t end = header.find(quoted ? '"' : ';', quoted ? 1 : 0);
    if (quoted && end == std::string_view::npos) return std::nullopt;
    if (equal_ignoring_case(key, name))
      return std::string(quoted ? header.substr(1, end - 1) : trimmed(header.substr(0, end)));
    next = quoted ? header.find(';', end) : end;
  }
  return std::nullopt;
}

/// The name of a part from its header lines.
std::optional<std::string> name_of_part(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (equal_ignoring_case(line.substr(0, colon), "content-disposition"))
      return parameter(line, "name");
    lines.remove_prefix(std::min(line.size() + kLineEnd.size(), lines.size()));
  }
  return std::nullopt;
}

[[noreturn]] void refuse_form(const char* reason) {
  throw bad_request(std::string("the body is not a form (multipart/form-data): ") + reason);
}

}  // namespace

bool is_media_type(std::string_view content_type, std::string_view type) {
  return equal_ignoring_case(trimmed(content_type.substr(0, content_type.find(';'))), type);
}

std::map<std::string, std::string> parse_multipart(std::string_view content_type,
                                                   std::string_view body) {
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary)
    refuse_form("the header Content-Type has no boundary of 1 to 70 characters");
  const std::string mark = "--" + *boundary;
  std::map<std::string, std::string> fields;
  std::size_t at = body.find(mark);
  while (at != std::string_view::npos) {
    body.remove_prefix(at + mark.size());
    if (body.starts_with("--")) return fields;
    const std::size_t header = body.find(kLineEnd);
    const std::size_t blank = body.find("\r\n\r\n");
    const std::size_t end = body.find(std::string(kLineEnd) + mark, std::min(blank, body.size()));
    if (header == std::string_view::npos || end == std::string_view::npos) break;
    const auto name = name_of_part(body.substr(header, blank - header));
    if (!name) refuse_form("a part has no name");
    fields.emplace(*name, end > blank + 4 ? body.substr(blank + 4, end - blank - 4) : "");
    at = end + kLineEnd.size();
  }
  refuse_form("its end is missing");
}

}  // namespace attend::server
