#include "align/mutual.h"

#include <algorithm>
#include <vector>

namespace attend::align {
namespace {

struct Best {
  std::vector<std::size_t> of_row;
  std::vector<std::size_t> of_column;
};

Best heaviest(const WeightTable& table) {
  Best best{std::vector<std::size_t>(table.rows()), std::vector<std::size_t>(table.columns())};
  for (std::size_t t = 0; t < table.rows(); ++t) {
    for (std::size_t s = 0; s < table.columns(); ++s) {
      if (table(t, s) > table(t, best.of_row[t])) best.of_row[t] = s;
      if (table(t, s) > table(best.of_column[s], s)) best.of_column[s] = t;
    }
  }
  return best;
}

}  // namespace

WeightTable mean_weights(const AttentionMatrix& forward, const AttentionMatrix& reverse) {
  WeightTable mean(std::min(forward.target_tokens(), reverse.source_tokens()),
                   std::min(forward.source_tokens(), reverse.target_tokens()));
  for (std::size_t t = 0; t < mean.rows(); ++t) {
    for (std::size_t s = 0; s < mean.columns(); ++s)
      mean(t, s) = (forward.weights(t, s) + reverse.weights(s, t)) / 2;
  }
  return mean;
}

Links mutual_links(const AttentionMatrix& forward, const AttentionMatrix& reverse,
                   std::optional<float> threshold) {
  Links links;
  if (!forward.has_weights() || !reverse.has_weights()) return links;
  const WeightTable mean = mean_weights(forward, reverse);
  const Best best = heaviest(mean);
  for (std::size_t t = 0; t < mean.rows(); ++t) {
    for (std::size_t s = 0; s < mean.columns(); ++s) {
      const bool chosen =
          threshold ? mean(t, s) >= *threshold : best.of_row[t] == s && best.of_column[s] == t;
      if (chosen && mean(t, s) > 0)
        links.insert({static_cast<int64_t>(s), static_cast<int64_t>(t)});
    }
  }
  return links;
}

}  // namespace attend::align
