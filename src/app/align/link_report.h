#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "data/options.h"

namespace attend::app {

/// The words of a pair of lines, as links count them. `several_sources`: in one line, with tabs
/// between.
[[nodiscard]] align::PairSize pair_size(std::string source, const std::string& target,
                                        bool several_sources);

/// The sentences that links are of.
struct MeasuredPairs {
  std::filesystem::path source;  ///< the file, for messages
  std::vector<align::PairSize> sizes;
};

/// Reads both files; what stands between tabs may be several sources. Throws DataError.
[[nodiscard]] MeasuredPairs measure_pairs(const data::PairFiles& files);

/// Throws DataError, naming both files and both counts, unless there is a line of links for each
/// pair, and, as LinkFile::check_inside(), for a link outside its pair.
void check_links_fit(const align::LinkFile& links, const MeasuredPairs& pairs);

/// Throws DataError, naming both files and both counts, unless `gold` has a line for each of the
/// `lines` of `judged`, and if there are none.
void check_gold_count(const std::filesystem::path& judged, std::size_t lines,
                      const align::LinkFile& gold);

/// The counts of a whole file of links. Throws DataError as check_gold_count().
[[nodiscard]] align::LinkCounts judge_links(const align::LinkFile& links,
                                            const align::LinkFile& gold, align::Judge judge);

/// "AER = 0.1234 precision = 0.8765 recall = 0.8642 (links = 1200 sure = 900 judge = all)".
[[nodiscard]] std::string error_rate_report(const align::LinkCounts& counts, align::Judge judge);

}  // namespace attend::app
