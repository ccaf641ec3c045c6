#include "app/align/vote_links.h"

#include <array>
#include <functional>

#include "align/extract.h"
#include "app/align/link_report.h"
#include "app/align/vote_files.h"
#include "app/lines/text_lines.h"
#include "core/error.h"
#include "core/log.h"
#include "core/option_name.h"
#include "core/signal.h"
#include "data/pair_reader.h"

namespace attend::app {

namespace {

/// Calls `take` with the words and mean weights of each pair.
void for_each_pair(const VoteOptions& options, const char* what,
                   const std::function<void(const align::AttentionMatrix&)>& take) {
  data::PairReader reader(options.files);
  VoteFiles votes(options.votes);
  LineMeter meter(options.report, what);
  while (const auto lines = reader.next()) {
    stop_if_requested("stopped by a signal; nothing was written");
    check_words(*lines, options.files.source, reader.line_number());
    align::AttentionMatrix words = word_matrix(*lines);
    votes.add_next(words);
    take(words);
    meter.pass({reader.line_number(), reader.share_read()});
    meter.add(0);
  }
  reader.warn_about_repairs();
  votes.check_end(options.files.source);
}

/// Counts the links of each threshold.
class ThresholdSearch {
 public:
  ThresholdSearch(const align::LinkFile& gold, align::Judge judge) : gold_(gold), judge_(judge) {}

  void add(const align::AttentionMatrix& words) {
    if (next_ >= gold_.size()) return;  // reported at the end
    const align::GoldLinks gold = gold_.gold(next_++);
    if (judge_ == align::Judge::kCovered && gold.possible.empty()) return;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += align::count_links(align::extract_links(words, threshold(i)), gold, judge_);
  }

  [[nodiscard]] float best() const {
    std::size_t best = counts_.size() - 1;
    for (std::size_t i = counts_.size(); i-- > 0;) {
      if (counts_[i].error_rate() < counts_[best].error_rate()) best = i;
    }
    return threshold(best);
  }

 private:
  [[nodiscard]] float threshold(std::size_t i) const {
    return static_cast<float>(i + 1) / static_cast<float>(counts_.size());
  }

  const align::LinkFile& gold_;
  align::Judge judge_;
  std::size_t next_ = 0;
  std::array<align::LinkCounts, 100> counts_;
};

float best_threshold(const VoteOptions& options, const align::LinkFile& gold) {
  ThresholdSearch search(gold, options.output.judge);
  for_each_pair(options, "comparing thresholds",
                [&](const align::AttentionMatrix& words) { search.add(words); });
  const float best = search.best();
  log::info("threshold {:.2f} has the lowest AER", best);
  return best;
}

}  // namespace

std::optional<align::LinkCounts> join_votes(const VoteOptions& options) {
  std::optional<align::LinkFile> gold;
  if (!options.output.gold.empty()) gold.emplace(options.output.gold, align::LinkFormat::kGold);
  const bool twice = can_read_again(options.files.source) && can_read_again(options.files.target);
  if (gold && twice) check_links_fit(*gold, measure_pairs(options.files));
  if (gold && !options.threshold && !twice) {
    throw UsageError("finding a threshold reads the sentences twice; give regular files, or " +
                     option_name("threshold"));
  }
  float threshold = options.threshold.value_or(VoteOptions::kThreshold);
  if (gold && !options.threshold) threshold = best_threshold(options, *gold);
  WordLinkOutput output(options.output, gold ? &*gold : nullptr);
  for_each_pair(options, "voting", [&](const align::AttentionMatrix& words) {
    output.add(words, align::extract_links(words, threshold));
  });
  if (gold) check_gold_count(options.files.source, output.lines(), *gold);
  output.commit();
  return output.counts();
}

}  // namespace attend::app
