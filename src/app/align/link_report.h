#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "data/options.h"

namespace attend::app {

/// The numbers of words of a pair of lines. `several_sources`: tabs in the source line separate
/// several sources.
[[nodiscard]] align::PairSize pair_size(std::string source, const std::string& target,
                                        bool several_sources);

/// The sizes of the sentence pairs of a text.
struct MeasuredPairs {
  std::filesystem::path source;  ///< the file, for messages
  std::vector<align::PairSize> sizes;
};

/// Counts the words of all lines; tabs may separate several sources. Throws DataError.
[[nodiscard]] MeasuredPairs measure_pairs(const data::PairFiles& files);

/// Throws DataError if the file does not have one line of links per pair (the message names both
/// files and counts), or if a link is outside its pair (LinkFile::check_inside()).
void check_links_fit(const align::LinkFile& links, const MeasuredPairs& pairs);

/// Throws DataError if the number of lines in `gold` is not `lines`, the number in the file
/// `judged` (the message names both files and counts), or if it is 0.
void check_gold_count(const std::filesystem::path& judged, std::size_t lines,
                      const align::LinkFile& gold);

/// The counts of a whole link file. Throws DataError like check_gold_count().
[[nodiscard]] align::LinkCounts judge_links(const align::LinkFile& links,
                                            const align::LinkFile& gold, align::Judge judge);

/// "AER = 0.1234 precision = 0.8765 recall = 0.8642 (links = 1200 sure = 900 judge = all)".
[[nodiscard]] std::string error_rate_report(const align::LinkCounts& counts, align::Judge judge);

}  // namespace attend::app
