#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "decode/scoring/output_constraint.h"

namespace attend::server {

/// Pins pieces to positions of the output, counted from 0 including the prefix, and forbids the end
/// of the output before the last pinned position. The constraint `others` holds at other positions,
/// except directly after a pinned one, so a pinned word may be a forbidden word. Before a pinned
/// piece, excludes likely pieces after which `others` would forbid the pinned piece.
class PinnedPieces final : public decode::OutputConstraint {
 public:
  /// Requires: `pieces` is not empty. `others` may be null.
  PinnedPieces(std::map<int64_t, text::TokenId> pieces,
               std::shared_ptr<const decode::OutputConstraint> others);

  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override;

 private:
  void look_ahead(std::span<const text::TokenId> tokens, torch::Tensor row) const;

  std::map<int64_t, text::TokenId> pieces_;
  std::shared_ptr<const decode::OutputConstraint> others_;
};

}  // namespace attend::server
