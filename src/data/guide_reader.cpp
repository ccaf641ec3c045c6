#include "data/guide_reader.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/utf8.h"

namespace attend::data {
namespace {

int64_t count_words(const std::string& line) {
  return static_cast<int64_t>(utf8::word_spans(line).size());
}

int64_t count_lines(const std::filesystem::path& path) {
  LineReader reader(path);
  while (reader.next()) {
  }
  return reader.line_number();
}

}  // namespace

align::Links GuideReader::next(const Example& pair) {
  const auto line = links_.next();
  if (!line) report_line_counts();
  line->check_inside({count_words(pair.sources.at(0)), count_words(pair.target)}, links_.path(),
                     links_.line_number());
  return line->links();
}

void GuideReader::finish() {
  if (links_.next()) report_line_counts();
}

void GuideReader::report_line_counts() const {
  throw DataError(
      fmt::format("{} has {} lines, but {} has {}: line i must hold the links of line pair i of "
                  "the training text (an empty line if there are none)",
                  links_.path().string(), count_lines(links_.path()), files_.source(),
                  count_lines(files_.source())));
}

}  // namespace attend::data
