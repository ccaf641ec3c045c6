#include "text/long_line.h"

namespace attend::text {
namespace {

/// Where to cut a line after about `bytes` bytes: at a blank, or else between two characters.
std::size_t end_of_beginning(std::string_view line, std::size_t bytes) {
  const std::size_t blank = line.rfind(' ', bytes);
  if (blank != std::string_view::npos && blank > bytes / 2) return blank;
  while ((static_cast<unsigned char>(line[bytes]) & 0xC0U) == 0x80U) --bytes;
  return bytes;
}

}  // namespace

std::vector<std::string_view> parts_of_line(std::string_view line, std::size_t most) {
  std::vector<std::string_view> parts;
  while (line.size() > most) {
    const std::size_t end = end_of_beginning(line, most);
    parts.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  parts.push_back(line);
  return parts;
}

std::string_view enough_of(std::string_view line, const Tokenizer& tokenizer, int64_t pieces) {
  const std::size_t enough = 2 * static_cast<std::size_t>(pieces);
  for (std::size_t bytes = kLongLine; bytes < line.size(); bytes *= 2) {
    const std::string_view beginning = line.substr(0, end_of_beginning(line, bytes));
    if (tokenizer.encode(beginning).size() > enough) return beginning;
  }
  return line;
}

Beginning encode_beginning(std::string_view line, const Tokenizer& tokenizer, int64_t pieces) {
  Beginning beginning{tokenizer.encode(enough_of(line, tokenizer, pieces)), false};
  beginning.cut =
      keep_beginning(beginning.ids, static_cast<std::size_t>(pieces), tokenizer.order()) > 0;
  return beginning;
}

}  // namespace attend::text
