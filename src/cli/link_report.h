#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "align/error_rate.h"
#include "align/links.h"

namespace attend::cli {

/// Gold links of a whole file.
struct GoldFile {
  std::filesystem::path path;
  std::vector<align::GoldLinks> sentences;
};

/// Throws DataError if the file cannot be read.
[[nodiscard]] GoldFile read_gold_file(const std::filesystem::path& path);

/// Throws DataError that names file and line if a gold link of sentence `id` (from 0) lies outside
/// a pair of that many words. A sentence that the file does not have is no error here.
void check_gold(const GoldFile& gold, int64_t id, int64_t source_words, int64_t target_words);

/// Links of a whole file, and what to call them in messages.
struct LinksFile {
  std::filesystem::path path;
  std::vector<align::Links> sentences;
};

/// "AER = 0.1234 precision = 0.8765 recall = 0.8642 (links = 1200 sure = 900 judge = all)". Throws
/// DataError that names both files and both counts unless they have as many sentences.
[[nodiscard]] std::string error_rate_report(const LinksFile& links, const GoldFile& gold,
                                            align::Judge judge);

}  // namespace attend::cli
