#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"

namespace attend::align {

/// The links to evaluate.
enum class Judge {
  kAll,
  kCovered,  ///< links whose source and target word both occur in gold links of the sentence
};

/// Parses "all" or "covered". Throws UsageError that lists the choices.
[[nodiscard]] Judge parse_judge(std::string_view name);
[[nodiscard]] std::vector<std::string> judge_names();

/// Sums over sentences. A are the evaluated links, S the sure and P the possible gold links.
struct LinkCounts {
  int64_t links = 0;               ///< |A|
  int64_t sure = 0;                ///< |S|
  int64_t links_and_sure = 0;      ///< |A and S|
  int64_t links_and_possible = 0;  ///< |A and P|

  LinkCounts& operator+=(const LinkCounts& other);

  /// Share of the links that are possible gold links, |A and P| / |A|; 1 if A is empty.
  [[nodiscard]] double precision() const;
  /// Share of the sure gold links that were found, |A and S| / |S|; 1 if S is empty.
  [[nodiscard]] double recall() const;
  /// Alignment error rate, 1 - (|A and S| + |A and P|) / (|A| + |S|) (Och & Ney 2003, section 5.1);
  /// 0 if A and S are empty.
  [[nodiscard]] double error_rate() const;
};

/// The counts of one sentence.
[[nodiscard]] LinkCounts count_links(const Links& links, const GoldLinks& gold, Judge judge);

}  // namespace attend::align
