#pragma once
#include <torch/types.h>

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

  /// Whether it is always the sentence up to the query's own position.
  [[nodiscard]] virtual bool is_all_before() const { return false; }
};

}  // namespace attend::nn
