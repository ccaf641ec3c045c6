#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// A file's lines, and how to call it in messages.
struct TextLines {
  std::filesystem::path path;
  std::vector<std::string> lines;
};

/// All lines of a plain or gzip file, or of standard input ("-"). `warns` of ill-formed UTF-8.
/// Throws DataError if it cannot be read.
[[nodiscard]] TextLines read_lines(const std::filesystem::path& path, bool warns = true);

/// Whether a file can be read more than once, which standard input ("-"), pipes and devices cannot.
/// One that is not there can: who opens it will say so.
[[nodiscard]] bool can_read_again(const std::filesystem::path& path);

/// Throws DataError that names both files and both counts if they differ.
void check_same_count(const std::filesystem::path& a, std::size_t lines_of_a,
                      const std::filesystem::path& b, std::size_t lines_of_b);

/// Throws DataError if a text to be judged has no lines: it would get the score of a perfect one.
void check_not_empty(const std::filesystem::path& path, std::size_t lines);

}  // namespace attend::app
