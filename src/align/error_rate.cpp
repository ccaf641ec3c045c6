#include "align/error_rate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::align {
namespace {

double ratio(int64_t part, int64_t whole, double of_nothing) {
  return whole == 0 ? of_nothing : static_cast<double>(part) / static_cast<double>(whole);
}

int64_t intersection_size(const Links& a, const Links& b) {
  return std::ranges::count_if(a, [&](const Link& link) { return b.contains(link); });
}

Links covered_by(const GoldLinks& gold, const Links& links) {
  std::set<int64_t> sources;
  std::set<int64_t> targets;
  for (const Link& link : gold.possible) {
    sources.insert(link.source);
    targets.insert(link.target);
  }
  Links covered = links;
  std::erase_if(covered, [&](const Link& link) {
    return !sources.contains(link.source) || !targets.contains(link.target);
  });
  return covered;
}

}  // namespace

Judge parse_judge(std::string_view name) {
  if (name == "all") return Judge::kAll;
  if (name == "covered") return Judge::kCovered;
  const auto names = judge_names();
  throw UsageError(fmt::format("{}: unknown value \"{}\"{}; choices: {}", option_name("judge"),
                               name, did_you_mean(name, names), join(names)));
}

std::vector<std::string> judge_names() {
  return {"all", "covered"};
}

LinkCounts& LinkCounts::operator+=(const LinkCounts& other) {
  links += other.links;
  sure += other.sure;
  links_and_sure += other.links_and_sure;
  links_and_possible += other.links_and_possible;
  return *this;
}

double LinkCounts::precision() const {
  return ratio(links_and_possible, links, 1.0);
}

double LinkCounts::recall() const {
  return ratio(links_and_sure, sure, 1.0);
}

double LinkCounts::error_rate() const {
  return 1.0 - ratio(links_and_sure + links_and_possible, links + sure, 1.0);
}

LinkCounts count_links(const Links& links, const GoldLinks& gold, Judge judge) {
  const Links judged = judge == Judge::kCovered ? covered_by(gold, links) : links;
  return {.links = std::ssize(judged),
          .sure = std::ssize(gold.sure),
          .links_and_sure = intersection_size(judged, gold.sure),
          .links_and_possible = intersection_size(judged, gold.possible)};
}

}  // namespace attend::align
