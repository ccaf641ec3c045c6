#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "decode/scoring/output_constraint.h"

namespace attend::server {

/// Certain pieces at certain positions of the output, counted from 0 with its prefix, and no end
/// before them. Elsewhere another constraint holds. Where a piece is pinned, and right behind it,
/// that has no say, so that a pinned word may be a forbidden one; but of the likeliest pieces
/// before a pinned one those are left out after which it would be forbidden.
class PinnedPieces final : public decode::OutputConstraint {
 public:
  /// Requires: some are pinned. `others` may be null.
  PinnedPieces(std::map<int64_t, text::TokenId> pieces,
               std::shared_ptr<const decode::OutputConstraint> others);

  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override;

 private:
  void look_ahead(std::span<const text::TokenId> tokens, torch::Tensor row) const;

  std::map<int64_t, text::TokenId> pieces_;
  std::shared_ptr<const decode::OutputConstraint> others_;
};

}  // namespace attend::server
