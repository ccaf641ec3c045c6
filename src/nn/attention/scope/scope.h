#pragma once
#include <torch/types.h>

#include <optional>
#include <string>

#include "nn/attention/memory.h"
#include "nn/parameters.h"

namespace attend::nn {

/// The part of a memory that queries see. It has W columns, one per source position or fewer.
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

/// A view that the kernels for whole sequences support.
struct WholeView {
  bool causal = false;      // show positions up to the query's own, not all
  torch::Tensor bias = {};  // [heads, 2 R + 1], or [2 R + 1] for one head: added to the energies by
                            // the distance of a position from the query's own, clipped to +-R;
                            // undefined: none
};

class FusedScope;

/// Determines which source positions a query may see, and with which biases or factors.
class AttentionScope : public Block {
 public:
  /// query [N, T, H]; `position` is the target position of the first query.
  [[nodiscard]] virtual View make_view(const torch::Tensor& query, const Memory& memory,
                                       int64_t position) const = 0;

  /// The scope's interface to loops of fused kernels (fused_scope.h); null if it has none.
  [[nodiscard]] virtual const FusedScope* fused() const { return nullptr; }
  /// If fused() is null, the config setting that prevents the fused form.
  [[nodiscard]] virtual std::string plain_reason() const { return "attention.scope"; }
  /// True if the view always shows the whole sentence, without biases or factors.
  [[nodiscard]] virtual bool is_global() const { return false; }

  /// The view of every query as a WholeView; std::nullopt if it cannot be expressed as one.
  [[nodiscard]] virtual std::optional<WholeView> whole_view() const { return std::nullopt; }
};

}  // namespace attend::nn
