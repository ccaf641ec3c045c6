#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "data/options.h"

namespace attend::app {

/// The number of words of a pair of lines. `several_sources`: the source line has several sources
/// with tabs between.
[[nodiscard]] align::PairSize pair_size(std::string source, const std::string& target,
                                        bool several_sources);

/// The sizes of the sentence pairs of a text.
struct MeasuredPairs {
  std::filesystem::path source;  ///< the file, for messages
  std::vector<align::PairSize> sizes;
};

/// Reads both files; tabs may separate several sources. Throws DataError.
[[nodiscard]] MeasuredPairs measure_pairs(const data::PairFiles& files);

/// Throws DataError unless there is a line of links for each pair (naming both files and counts),
/// and for a link outside its pair (LinkFile::check_inside()).
void check_links_fit(const align::LinkFile& links, const MeasuredPairs& pairs);

/// Throws DataError unless `gold` has a line for each of the `lines` of `judged` (naming both files
/// and counts), and if there are no lines.
void check_gold_count(const std::filesystem::path& judged, std::size_t lines,
                      const align::LinkFile& gold);

/// The counts of a whole link file. Throws DataError like check_gold_count().
[[nodiscard]] align::LinkCounts judge_links(const align::LinkFile& links,
                                            const align::LinkFile& gold, align::Judge judge);

/// "AER = 0.1234 precision = 0.8765 recall = 0.8642 (links = 1200 sure = 900 judge = all)".
[[nodiscard]] std::string error_rate_report(const align::LinkCounts& counts, align::Judge judge);

}  // namespace attend::app
