#include "decode/search/scored_tokens.h"

#include <algorithm>
#include <limits>
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

void ScoredTokens::edit_whole_row(torch::Tensor row, int64_t sentence,
                                  const std::function<void(torch::Tensor)>& change) const {
  if (own_.empty()) return change(row);
  const auto& own = own_[static_cast<std::size_t>(sentence)];
  const auto tokens = torch::tensor(std::vector<int64_t>(own.begin(), own.end())).to(row.device());
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const torch::Tensor whole = torch::full({vocabulary_}, kNever, row.options());
  torch::Tensor scored = row.narrow(0, 0, tokens.size(0));
  whole.index_copy_(0, tokens, scored);
  change(whole);
  scored.copy_(whole.index_select(0, tokens));
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
