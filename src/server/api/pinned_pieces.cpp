#include "server/api/pinned_pieces.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace attend::server {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr int64_t kLikeliest = 64;

}  // namespace

PinnedPieces::PinnedPieces(std::map<int64_t, text::TokenId> pieces,
                           std::shared_ptr<const decode::OutputConstraint> others)
    : pieces_(std::move(pieces)), others_(std::move(others)) {}

void PinnedPieces::forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const {
  const int64_t position = std::ssize(tokens);
  if (const auto pinned = pieces_.find(position); pinned != pieces_.end()) {
    const torch::Tensor kept = row[pinned->second].clone();
    row.fill_(kNever);
    row[pinned->second].copy_(kept);
    return;
  }
  if (others_ && !pieces_.contains(position - 1)) others_->forbid(tokens, row);
  if (others_ && pieces_.contains(position + 1)) look_ahead(tokens, row);
  if (position < pieces_.rbegin()->first) row[text::kEos].fill_(kNever);
}

/// Tries likely pieces, because `others_` recognises a complete word only by the piece after it.
void PinnedPieces::look_ahead(std::span<const text::TokenId> tokens, torch::Tensor row) const {
  std::vector<text::TokenId> longer(tokens.begin(), tokens.end());
  longer.push_back(0);
  const text::TokenId pinned = pieces_.at(std::ssize(longer));
  const auto likeliest = std::get<1>(row.topk(std::min(kLikeliest, row.size(0))));
  for (int64_t i = 0; i < likeliest.size(0); ++i) {
    longer.back() = static_cast<text::TokenId>(likeliest[i].item<int64_t>());
    const torch::Tensor next = torch::zeros_like(row);
    others_->forbid(longer, next);
    if (next[pinned].item<double>() < 0.0) row[longer.back()].fill_(kNever);
  }
}

}  // namespace attend::server
