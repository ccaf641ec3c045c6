#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

#include "nn/attention/memory.h"
#include "nn/parameters.h"

namespace attend::nn {

/// What queries may see of a memory, in columns: W = S, one for each source position, or fewer.
struct View {
  torch::Tensor mask;       // [N, 1 or T, W] bool, true = may get weight
  torch::Tensor positions;  // [N, T, W] int64, the source position of each column, each at most
                            // once; undefined: all positions in order
  torch::Tensor bias;       // broadcasts to [N, T, W], added to the energies; undefined: none
  torch::Tensor factor;     // [N, T, W] multiplies the weights after the distribution; undefined:
                            // none
  torch::Tensor offsets = {};  // [T, W, C] added to the values that each query mixes, where all
                               // positions are shown in order; undefined: none
};

/// A view that attentions of whole sequences by kernels know.
struct WholeView {
  bool causal = false;      // all positions up to the query's own, in place of all
  torch::Tensor bias = {};  // [heads, 2 R + 1], or [2 R + 1] of one head, added to the energies by
                            // the distance of a position from the query's own, limited to +-R;
                            // undefined: none
};

class FusedScope;

/// Which source positions a query may see, and how its view of them is coloured.
class AttentionScope : public Block {
 public:
  /// query [N, T, H]; `position` is the target position of the first query.
  [[nodiscard]] virtual View look(const torch::Tensor& query, const Memory& memory,
                                  int64_t position) const = 0;

  /// Its part in loops of fused kernels (fused_scope.h); null: it has none.
  [[nodiscard]] virtual const FusedScope* fused() const { return nullptr; }
  /// The setting because of which it is computed plain, where others are not.
  [[nodiscard]] virtual std::string plain_reason() const { return "attention.scope"; }
  /// Whether the view is always the whole sentence as it is.
  [[nodiscard]] virtual bool is_global() const { return false; }

  /// What it always shows, where that is so simple; std::nullopt: it is not.
  [[nodiscard]] virtual std::optional<WholeView> whole_view() const { return std::nullopt; }
};

}  // namespace attend::nn
