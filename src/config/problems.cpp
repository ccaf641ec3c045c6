#include "config/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "config/section.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/utf8.h"

namespace attend::config {

namespace {

auto order(const Problem& problem) {
  const bool last = problem.place.source && problem.place.source->is_command_line;
  return std::make_tuple(last, problem.place.line, problem.place.byte);
}

// Keeps tabs, so that the caret is under its column whatever their width.
std::string caret_line(const std::string& line, int64_t column) {
  std::string padding;
  int64_t characters = 1;
  for (const char c : line) {
    if (characters >= column) break;
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (continues) continue;
    padding += c == '\t' ? '\t' : ' ';
    ++characters;
  }
  return padding + "^";
}

// Replaces control characters, which a binary file or an argument could use to control the
// terminal.
std::string printable(std::string_view text) {
  std::string result = utf8::replace_invalid(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7F) c = '?';
  }
  return result;
}

// A line with a caret below it; a long line is cut to the part around the column.
std::string marked_line(const std::string& line, int64_t column) {
  constexpr int64_t kLongest = 200;
  if (static_cast<int64_t>(line.size()) <= kLongest) return line + "\n" + caret_line(line, column);
  const std::u32string characters = utf8::decode(line);
  const int64_t first = std::max<int64_t>(column - kLongest / 2, 1);
  const auto begin = std::min(static_cast<std::size_t>(first) - 1, characters.size());
  const std::string part = utf8::encode(characters.substr(begin, kLongest));
  return part + "\n" + caret_line(part, column - first + 1);
}

}  // namespace

void Problems::add(Problem problem) {
  if (is_full()) {
    ++unkept_;
  } else {
    problems_.push_back(std::move(problem));
  }
}

bool Problems::touches(const std::string& key) const {
  if (is_full()) return true;
  return std::any_of(problems_.begin(), problems_.end(), [&](const Problem& problem) {
    return problem.key.empty() || problem.key == key || is_below(problem.key, key) ||
           is_below(key, problem.key);
  });
}

void Problems::throw_if_any() const {
  if (problems_.empty()) return;
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return order(a) < order(b); });
  std::vector<std::string> blocks;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMost); ++i)
    blocks.push_back(to_string(sorted[i]));
  if (sorted.size() > kMost)
    blocks.push_back(fmt::format("and {} more", sorted.size() - kMost + unkept_));
  throw ConfigError(fmt::format("{}", fmt::join(blocks, "\n")));
}

std::string to_string(const Problem& problem) {
  const Place& place = problem.place;
  std::string text = to_string(place);
  const int64_t column = column_of(place);
  if (column != 0) text += fmt::format(":{}", column);
  text += ": error: ";
  constexpr std::size_t kLongestKey = 200;
  if (!problem.key.empty()) text += excerpt(problem.key, kLongestKey) + ": ";
  text += problem.message;
  const auto index = static_cast<std::size_t>(place.line) - 1;
  if (place.line > 0 && index < place.source->lines.size()) {
    text += "\n" + marked_line(place.source->lines[index], column);
  }
  if (!problem.detail.empty()) text += "\n  " + problem.detail;
  return printable(text);
}

}  // namespace attend::config
