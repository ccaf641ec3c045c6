#include "app/align/link_priors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/number.h"
#include "text/lowercase.h"

namespace attend::app {
namespace {

[[noreturn]] void refuse(const LineReader& lines, std::string_view line) {
  throw DataError(
      lines.path(), lines.line_number(),
      fmt::format("\"{}\"; expected SOURCE, a tab, TARGET, a tab and the number of links, "
                  "as `attend align --method statistical --save-priors` writes them",
                  excerpt(line)));
}

/// The number, or 0 if the text is no number from 1.
int32_t count_of(std::string_view text) {
  return std::max(number_in<int32_t>(text).value_or(0), 0);
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find(' ') == std::string_view::npos;
}

WordLinkCount parse(const LineReader& lines, const std::string& line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = line.find('\t', first == std::string::npos ? first : first + 1);
  if (second == std::string::npos) refuse(lines, line);
  WordLinkCount entry{.source = line.substr(0, first),
                      .target = line.substr(first + 1, second - first - 1),
                      .count = count_of(std::string_view(line).substr(second + 1))};
  if (!is_word(entry.source) || !is_word(entry.target) || entry.count == 0) refuse(lines, line);
  return entry;
}

std::string lower(const std::vector<std::string>& words, int64_t position) {
  return text::Lowercased(words[static_cast<std::size_t>(position)]).text();
}

}  // namespace

std::vector<WordLinkCount> read_link_priors(const std::filesystem::path& file) {
  LineReader lines(file);
  std::vector<WordLinkCount> counts;
  int64_t total = 0;
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    counts.push_back(parse(lines, *line));
    total += counts.back().count;
    if (total > std::numeric_limits<int32_t>::max())
      throw DataError(file, lines.line_number(),
                      fmt::format("has more than {} links up to here; give counts of less text",
                                  std::numeric_limits<int32_t>::max()));
  }
  return counts;
}

void LinkPriors::add(const align::AttentionMatrix& words, const align::Links& links) {
  for (const align::Link& link : links)
    ++counts_[lower(words.source, link.source)][lower(words.target, link.target)];
}

void LinkPriors::write(OutputFile& file) const {
  for (const auto& [source, targets] : counts_) {
    std::vector<std::pair<std::string, int32_t>> sorted(targets.begin(), targets.end());
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, int32_t>::second);
    for (const auto& [target, count] : sorted)
      file.write(fmt::format("{}\t{}\t{}\n", source, target, count));
  }
  file.commit();
}

}  // namespace attend::app
