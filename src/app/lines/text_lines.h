#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// The lines of a file, and its path for messages.
struct TextLines {
  std::filesystem::path path;
  std::vector<std::string> lines;
};

/// Reads all lines of a plain or gzip file, or of standard input ("-"). `warns`: warn about
/// ill-formed UTF-8. Throws DataError if it cannot be read.
[[nodiscard]] TextLines read_lines(const std::filesystem::path& path, bool warns = true);

/// Returns true if a file can be read more than once: false for standard input ("-"), pipes and
/// devices. True for a missing file, which fails when it is opened.
[[nodiscard]] bool can_read_again(const std::filesystem::path& path);

/// Throws DataError, naming both files and counts, if the counts differ.
void check_same_count(const std::filesystem::path& a, std::size_t lines_of_a,
                      const std::filesystem::path& b, std::size_t lines_of_b);

/// Throws DataError if a text to score has no lines: its score would be perfect.
void check_not_empty(const std::filesystem::path& path, std::size_t lines);

}  // namespace attend::app
