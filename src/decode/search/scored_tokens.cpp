#include "decode/search/scored_tokens.h"

#include <algorithm>
#include <stdexcept>

namespace attend::decode {

std::vector<text::TokenId> ScoredTokens::columns_of(std::vector<text::TokenId> tokens,
                                                    std::span<const Row> rows) const {
  if (own_.empty()) return tokens;
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    const auto& own = own_[static_cast<std::size_t>(rows[n].sentence)];
    const auto found = std::ranges::lower_bound(own, tokens[n]);
    if (found == own.end() || *found != tokens[n]) throw std::logic_error("a token has no score");
    tokens[n] = static_cast<text::TokenId>(found - own.begin());
  }
  return tokens;
}

void ScoredTokens::to_tokens(RowScores& scores, std::span<const Row> rows) const {
  if (own_.empty()) return;
  const auto width = static_cast<std::size_t>(scores.width);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto& own = own_[static_cast<std::size_t>(rows[n].sentence)];
    // Columns after a row's last candidate have no token, but `scores` may contain them.
    const auto to_token = [&own](text::TokenId& column) {
      const auto place = static_cast<std::size_t>(column);
      column = place < own.size() ? own[place] : text::kEos;
    };
    std::for_each_n(scores.tokens.begin() + static_cast<int64_t>(n * width), width, to_token);
    to_token(scores.best[n]);
  }
}

}  // namespace attend::decode
