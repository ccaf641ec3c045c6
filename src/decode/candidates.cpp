#include "decode/candidates.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "decode/step_model.h"

namespace attend::decode {
namespace {

using TokenLists = std::vector<std::vector<text::TokenId>>;

constexpr text::TokenId kNoColumn = -1;

/// For each token up to the last candidate its column, or kNoColumn.
std::vector<text::TokenId> columns_by_token(const TokenLists& own) {
  text::TokenId last = text::kEos;
  for (const auto& tokens : own) last = tokens.empty() ? last : std::max(last, tokens.back());
  std::vector<text::TokenId> columns(static_cast<std::size_t>(last) + 1, kNoColumn);
  for (const auto& tokens : own) {
    for (const text::TokenId token : tokens) columns[static_cast<std::size_t>(token)] = 0;
  }
  text::TokenId next = 0;
  for (text::TokenId& column : columns) column = column == kNoColumn ? kNoColumn : next++;
  return columns;
}

}  // namespace

Candidates join_candidates(const TokenLists& own) {
  const std::vector<text::TokenId> columns = columns_by_token(own);
  std::vector<int64_t> ids;
  for (std::size_t token = 0; token < columns.size(); ++token) {
    if (columns[token] != kNoColumn) ids.push_back(static_cast<int64_t>(token));
  }
  Candidates joined{torch::tensor(ids, torch::kInt64),
                    torch::zeros({std::ssize(own), std::ssize(ids)}, torch::kBool)};
  for (std::size_t s = 0; s < own.size(); ++s) {
    bool* const row = joined.allowed.data_ptr<bool>() + s * ids.size();
    for (const text::TokenId token : own[s]) row[columns[static_cast<std::size_t>(token)]] = true;
  }
  return joined;
}

CandidateMask::CandidateMask(const torch::Tensor& allowed, const torch::TensorOptions& like) {
  if (allowed.all().item<bool>()) return;
  excess_ = torch::zeros(allowed.sizes(), torch::kFloat)
                .masked_fill_(allowed.logical_not(), -std::numeric_limits<double>::infinity())
                .to(like);
  sentences_ = torch::arange(allowed.size(0), torch::kInt64).to(excess_.device());
  by_row_ = excess_;
}

void CandidateMask::select(const RowSelection& rows) {
  if (!excess_.defined() || rows.same_sentences) return;
  sentences_ = sentences_.index_select(0, rows.parents);
  by_row_ = excess_.index_select(0, sentences_);
}

void CandidateMask::apply(torch::Tensor& logits) const {
  if (excess_.defined()) logits.add_(by_row_);
}

ScoredTokens::ScoredTokens(const torch::Tensor& ids)
    : ids_(ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel()) {}

std::vector<text::TokenId> ScoredTokens::columns_of(std::vector<text::TokenId> tokens) const {
  if (ids_.empty()) return tokens;
  for (text::TokenId& token : tokens) {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), token);
    if (found == ids_.end() || *found != token) throw std::logic_error("a token without a score");
    token = static_cast<text::TokenId>(found - ids_.begin());
  }
  return tokens;
}

void ScoredTokens::name(RowScores& scores) const {
  if (ids_.empty()) return;
  for (auto* const columns : {&scores.tokens, &scores.best}) {
    for (text::TokenId& column : *columns) column = ids_[static_cast<std::size_t>(column)];
  }
}

}  // namespace attend::decode
