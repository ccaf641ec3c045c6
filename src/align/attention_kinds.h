#pragma once
#include <string>
#include <vector>

#include "align/attention_matrix.h"

namespace attend::align {

/// "encoder", "decoder", "cross": the attention of the source to itself, of the target to itself
/// and of the target to the source.
[[nodiscard]] std::vector<std::string> attention_kind_names();

/// All the attention of one kind in a sentence pair. The rows of its matrices look at the columns,
/// and have the names `target`; columns have the names `source`, whichever side they are of.
struct AttentionKind {
  std::string name;                     ///< one of attention_kind_names()
  std::vector<AttentionMatrix> layers;  ///< lowest first; `weights` is the mean over the heads
  AttentionMatrix rollout;              ///< without weights: there is none
};

/// The tables of a layer's heads: its weights where there is one.
[[nodiscard]] std::vector<WeightTable> heads_of(const AttentionMatrix& layer);

/// The same with every matrix changed.
template <class Change>
[[nodiscard]] AttentionKind changed(const AttentionKind& kind, const Change& change) {
  AttentionKind result{kind.name, {}, {}};
  for (const AttentionMatrix& layer : kind.layers) result.layers.push_back(change(layer));
  if (kind.rollout.has_weights()) result.rollout = change(kind.rollout);
  return result;
}

}  // namespace attend::align
