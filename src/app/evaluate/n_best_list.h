#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// One translation of an n-best list.
struct NBestEntry {
  std::string text;
  double score = 0.0;
};

/// The lists of all input lines, in their order; none is empty.
struct NBestLists {
  std::filesystem::path path;
  std::vector<std::vector<NBestEntry>> lists;

  /// Lines of the file.
  [[nodiscard]] std::size_t entries() const;
};

/// Reads lines `id ||| text ||| score` of `attend translate --n-best`. Ids are the numbers of the
/// input lines from 0, and lines of one id are consecutive. Throws DataError, with the line, for
/// other lines and for a file without lines.
[[nodiscard]] NBestLists read_n_best(const std::filesystem::path& path);

/// Reads a finite number for each line of the n-best file of `lists`, as `attend score` writes
/// them. Throws DataError for other lines or another number of lines.
[[nodiscard]] std::vector<double> read_scores(const std::filesystem::path& path,
                                              const NBestLists& lists);

}  // namespace attend::app
