#include "cli/link_report.h"

#include <fmt/format.h>

#include "cli/text_lines.h"

namespace attend::cli {

GoldFile read_gold_file(const std::filesystem::path& path) {
  return {path, align::read_gold(path)};
}

void check_gold(const GoldFile& gold, int64_t id, int64_t source_words, int64_t target_words) {
  const auto place = static_cast<std::size_t>(id);
  if (place >= gold.sentences.size()) return;
  align::check_inside(gold.sentences[place].possible, source_words, target_words, gold.path,
                      id + 1);
}

std::string error_rate_report(const LinksFile& links, const GoldFile& gold, align::Judge judge) {
  check_same_count(links.path, links.sentences.size(), gold.path, gold.sentences.size());
  const align::LinkCounts counts = align::count_links(links.sentences, gold.sentences, judge);
  return fmt::format(
      "AER = {:.4f} precision = {:.4f} recall = {:.4f} (links = {} sure = {} judge = {})",
      counts.error_rate(), counts.precision(), counts.recall(), counts.links, counts.sure,
      judge == align::Judge::kAll ? "all" : "covered");
}

}  // namespace attend::cli
