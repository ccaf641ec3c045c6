#include "decode/scoring/candidates.h"

#include <algorithm>

namespace attend::decode {
namespace {

using TokenList = std::vector<text::TokenId>;

constexpr text::TokenId kNoColumn = -1;

/// The column of each token id up to the last candidate's; kNoColumn for other tokens.
TokenList columns_by_token(const CandidateLists& own) {
  text::TokenId last = text::kEos;
  for (const TokenList& tokens : own) last = tokens.empty() ? last : std::max(last, tokens.back());
  TokenList columns(static_cast<std::size_t>(last) + 1, kNoColumn);
  for (const TokenList& tokens : own) {
    for (const text::TokenId token : tokens) columns[static_cast<std::size_t>(token)] = 0;
  }
  text::TokenId next = 0;
  for (text::TokenId& column : columns) column = column == kNoColumn ? kNoColumn : next++;
  return columns;
}

std::size_t longest(const CandidateLists& own) {
  std::size_t length = 0;
  for (const TokenList& tokens : own) length = std::max(length, tokens.size());
  return length;
}

}  // namespace

Candidates join_candidates(const CandidateLists& own) {
  const TokenList columns = columns_by_token(own);
  std::vector<int64_t> ids;
  for (std::size_t token = 0; token < columns.size(); ++token) {
    if (columns[token] != kNoColumn) ids.push_back(static_cast<int64_t>(token));
  }
  const auto width = static_cast<int64_t>(longest(own));
  Candidates joined{torch::tensor(ids, torch::kInt64),
                    torch::full({std::ssize(own), width}, kNoColumn, torch::kInt)};
  auto* row = joined.columns.data_ptr<int32_t>();
  for (const TokenList& tokens : own) {
    std::ranges::transform(tokens, row, [&columns](text::TokenId token) {
      return columns[static_cast<std::size_t>(token)];
    });
    row += width;
  }
  return joined;
}

nn::OwnColumns own_columns(const Candidates& candidates, torch::Device device) {
  return {candidates.columns.to(device), candidates.ids.size(0)};
}

}  // namespace attend::decode
