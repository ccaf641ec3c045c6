#include "data/example_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace attend::data {
namespace {

int64_t count_all_lines(LineReader& reader) {
  while (reader.next()) {
  }
  return reader.line_number();
}

[[noreturn]] void refuse_encoding(const Repairs& repair, int64_t lines) {
  throw DataError(
      repair.file,
      fmt::format("{} of {} lines are not UTF-8 (first: line {}). Convert it from its encoding, "
                  "such as CP932 (Japanese), GB18030 (Chinese), CP874 (Thai) or CP1252: "
                  "iconv -f ENCODING -t UTF-8 {} > {}.txt",
                  repair.lines, lines, repair.first, repair.file, repair.file));
}

}  // namespace

std::size_t Example::bytes() const {
  std::size_t count = target.size();
  for (const std::string& source : sources) count += source.size();
  return count;
}

void warn_about_repairs(const std::vector<Repairs>& repairs) {
  for (const Repairs& repair : repairs)
    attend::warn_about_repairs(repair.file, repair.lines, repair.first);
}

ExampleReader::ExampleReader(const ExampleFiles& files) : target_(files.target) {
  for (const config::NamedPath& source : files.sources) sources_.emplace_back(source.path);
}

std::optional<Example> ExampleReader::next() {
  Example example;
  std::size_t ended = 0;
  for (LineReader& reader : sources_) {
    auto line = reader.next();
    ended += line ? 0 : 1;
    example.sources.push_back(std::move(line).value_or(""));
  }
  auto target = target_.next();
  ended += target ? 0 : 1;
  if (ended == sources_.size() + 1) return std::nullopt;
  if (ended > 0) report_line_counts();
  example.target = std::move(*target);
  return example;
}

int64_t ExampleReader::bytes_read() const {
  int64_t bytes = target_.bytes_read();
  for (const LineReader& reader : sources_) bytes += reader.bytes_read();
  return bytes;
}

std::vector<Repairs> ExampleReader::repairs() const {
  std::vector<Repairs> repairs;
  const auto add = [&](const LineReader& reader) {
    if (reader.repaired_lines() == 0) return;
    repairs.push_back(
        {reader.path().string(), reader.repaired_lines(), reader.first_repaired_line()});
  };
  std::ranges::for_each(sources_, add);
  add(target_);
  return repairs;
}

void ExampleReader::check_encoding() const {
  const int64_t lines = line_number();
  for (const Repairs& repair : repairs()) {
    if (2 * repair.lines > lines) refuse_encoding(repair, lines);
  }
}

void ExampleReader::report_line_counts() {
  const int64_t expected = count_all_lines(target_);
  const auto other = std::ranges::find_if(
      sources_, [&](LineReader& reader) { return count_all_lines(reader) != expected; });
  if (other == sources_.end()) throw DataError(target_.path(), "changed while it was being read");
  throw DataError(
      fmt::format("{} has {} lines, but {} has {}: line i of one must be the translation of line i "
                  "of the other",
                  other->path().string(), other->line_number(), target_.path().string(), expected));
}

}  // namespace attend::data
