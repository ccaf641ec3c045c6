#include "data/pair_reader.h"

#include <fmt/format.h>

#include "core/error.h"

namespace attend::data {
namespace {

int64_t count_lines(LineReader& reader) {
  while (reader.next()) {
  }
  return reader.line_number();
}

}  // namespace

PairReader::PairReader(const PairFiles& files) : source_(files.source), target_(files.target) {}

std::optional<LinePair> PairReader::next() {
  auto source = source_.next();
  auto target = target_.next();
  if (source && target) return LinePair{std::move(*source), std::move(*target)};
  if (source || target) report_line_counts();
  return std::nullopt;
}

void PairReader::warn_about_repairs() const {
  attend::warn_about_repairs(source_);
  attend::warn_about_repairs(target_);
}

void PairReader::report_line_counts() {
  const int64_t source = count_lines(source_);
  const int64_t target = count_lines(target_);
  throw DataError(
      fmt::format("{} has {} lines, but {} has {}: line i of one must be the translation of line i "
                  "of the other",
                  source_.path().string(), source, target_.path().string(), target));
}

}  // namespace attend::data
