#include "app/evaluate/n_best_list.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "app/lines/text_lines.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "core/number.h"

namespace attend::app {
namespace {

constexpr std::string_view kBar = " ||| ";

std::optional<double> finite_number_in(std::string_view text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

struct NBestLine {
  std::size_t id = 0;
  NBestEntry entry;
};

/// Splits at the first and the last bar: the text itself may contain bars.
std::optional<NBestLine> parse_n_best(std::string_view line) {
  const std::size_t first = line.find(kBar);
  const std::size_t last = line.rfind(kBar);
  if (first == std::string_view::npos || last < first + kBar.size()) return std::nullopt;
  const auto id = number_in<std::size_t>(line.substr(0, first));
  const auto score = finite_number_in(line.substr(last + kBar.size()));
  if (!id || !score) return std::nullopt;
  const std::size_t begin = first + kBar.size();
  return NBestLine{*id, {std::string(line.substr(begin, last - begin)), *score}};
}

void add(NBestLists& lists, NBestLine line, int64_t number) {
  const std::size_t next = lists.lists.size();
  if (line.id == next) {
    lists.lists.emplace_back();
  } else if (line.id + 1 != next) {
    throw DataError(
        lists.path, number,
        fmt::format("id {} after {}; expected the input line numbers from 0 without gaps", line.id,
                    next == 0 ? "none" : std::to_string(next - 1)));
  }
  lists.lists.back().push_back(std::move(line.entry));
}

}  // namespace

std::size_t NBestLists::entries() const {
  std::size_t count = 0;
  for (const auto& list : lists) count += list.size();
  return count;
}

NBestLists read_n_best(const std::filesystem::path& path) {
  NBestLists lists{path, {}};
  LineReader reader(path);
  while (const auto text = reader.next()) {
    auto line = parse_n_best(*text);
    if (!line) {
      throw DataError(path, reader.line_number(),
                      fmt::format("\"{}\": expected \"id ||| text ||| score\", as translate "
                                  "--n-best N writes it",
                                  excerpt(*text)));
    }
    add(lists, std::move(*line), reader.line_number());
  }
  warn_about_repairs(reader);
  if (lists.lists.empty()) throw DataError(path, "has no lines; there is nothing to choose from");
  return lists;
}

std::vector<double> read_scores(const std::filesystem::path& path, const NBestLists& lists) {
  std::vector<double> scores;
  LineReader reader(path);
  while (const auto text = reader.next()) {
    const auto score = finite_number_in(*text);
    if (!score) {
      throw DataError(path, reader.line_number(),
                      fmt::format("\"{}\" is not a finite number; expected one score for each line "
                                  "of the n-best file",
                                  excerpt(*text)));
    }
    scores.push_back(*score);
  }
  check_same_count(lists.path, lists.entries(), path, scores.size());
  return scores;
}

}  // namespace attend::app
