#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"

namespace attend::align {

/// Which of the links are judged.
enum class Judge {
  kAll,
  kCovered,  ///< only links whose source word and target word both occur in some gold link of the
             ///< sentence
};

/// "all", "covered". Throws UsageError that lists the choices.
[[nodiscard]] Judge parse_judge(std::string_view name);
[[nodiscard]] std::vector<std::string> judge_names();

/// Sums over sentences, with A the judged links, S the sure and P the possible gold links.
struct LinkCounts {
  int64_t links = 0;               ///< |A|
  int64_t sure = 0;                ///< |S|
  int64_t links_and_sure = 0;      ///< |A and S|
  int64_t links_and_possible = 0;  ///< |A and P|

  LinkCounts& operator+=(const LinkCounts& other);

  /// |A and P| / |A|; 1 for no links.
  [[nodiscard]] double precision() const;
  /// |A and S| / |S|; 1 for no sure links.
  [[nodiscard]] double recall() const;
  /// Alignment error rate, 1 - (|A and S| + |A and P|) / (|A| + |S|) (Och & Ney 2003, section 5.1);
  /// 0 if both are empty.
  [[nodiscard]] double error_rate() const;
};

/// The counts of one sentence.
[[nodiscard]] LinkCounts count_links(const Links& links, const GoldLinks& gold, Judge judge);

}  // namespace attend::align
