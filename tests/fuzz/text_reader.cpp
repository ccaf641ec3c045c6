// Plain and gzip text, read line by line.
#include <algorithm>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/foreign_format.h"
#include "core/utf8.h"
#include "tests/fuzz/support.h"

namespace {

using attend::fuzz::require;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

int64_t lines_of_plain(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const bool unfinished = !text.empty() && text.back() != '\n';
  return std::count(text.begin(), text.end(), '\n') + (unfinished ? 1 : 0);
}

void read_all(attend::LineReader& reader) {
  while (const std::optional<std::string> line = reader.next()) {
    require(attend::utf8::is_valid(*line), "lines are well-formed UTF-8");
    require(line->find('\n') == std::string::npos, "lines hold no line feed");
    require(attend::utf8::decode(*line).size() == attend::utf8::length(*line),
            "characters are counted as they are decoded");
    require(attend::utf8::encode(attend::utf8::decode(*line)) == *line, "encoding undoes decoding");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static attend::fuzz::MemoryFile file;
  const std::string_view text = attend::fuzz::text_of(data, size);
  const bool gzip = text.starts_with("\x1f\x8b");
  attend::LineReader reader(file.holding(text));
  try {
    read_all(reader);
  } catch (const attend::DataError&) {
    require(gzip || attend::foreign_format(text), "only files of other formats are refused");
    return 0;
  }
  require(gzip || reader.line_number() == lines_of_plain(text), "a line for each line feed");
  require(reader.repaired_lines() <= reader.line_number(), "only lines are repaired");
  return 0;
}
