#include "app/align/link_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/lines/source_line.h"
#include "app/lines/text_lines.h"
#include "core/utf8.h"
#include "data/pair_reader.h"

namespace attend::app {

align::PairSize pair_size(std::string source, const std::string& target, bool several_sources) {
  if (several_sources) std::ranges::replace(source, kBetweenSources, ' ');
  return {.source = std::ssize(utf8::word_spans(source)),
          .target = std::ssize(utf8::word_spans(target))};
}

MeasuredPairs measure_pairs(const data::PairFiles& files) {
  data::PairReader reader(files);
  MeasuredPairs pairs{files.source, {}};
  while (const auto pair = reader.next())
    pairs.sizes.push_back(pair_size(pair->source, pair->target, /*several_sources=*/true));
  return pairs;
}

void check_links_fit(const align::LinkFile& links, const MeasuredPairs& pairs) {
  // Compare the counts first: their message is clearer if the links belong to another text.
  check_same_count(pairs.source, pairs.sizes.size(), links.path(), links.size());
  for (std::size_t i = 0; i < pairs.sizes.size(); ++i) links.check_inside(i, pairs.sizes[i]);
}

void check_gold_count(const std::filesystem::path& judged, std::size_t lines,
                      const align::LinkFile& gold) {
  check_same_count(judged, lines, gold.path(), gold.size());
  check_not_empty(judged, lines);
}

align::LinkCounts judge_links(const align::LinkFile& links, const align::LinkFile& gold,
                              align::Judge judge) {
  check_gold_count(links.path(), links.size(), gold);
  align::LinkCounts counts;
  for (std::size_t i = 0; i < links.size(); ++i) {
    counts += align::count_links(links.links(i), gold.gold(i), judge);
  }
  return counts;
}

std::string error_rate_report(const align::LinkCounts& counts, align::Judge judge) {
  return fmt::format(
      "AER = {:.4f} precision = {:.4f} recall = {:.4f} (links = {} sure = {} judge = {})",
      counts.error_rate(), counts.precision(), counts.recall(), counts.links, counts.sure,
      judge == align::Judge::kAll ? "all" : "covered");
}

}  // namespace attend::app
