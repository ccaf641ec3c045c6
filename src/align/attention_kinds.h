#pragma once
#include <string>
#include <vector>

#include "align/attention_matrix.h"

namespace attend::align {

/// "encoder", "decoder", "cross": the attention of the source to itself, of the target to itself
/// and of the target to the source; "encoder_memory", "decoder_memory": of heads to the slots of a
/// memory that a cell writes and reads as the source is read and the target written.
[[nodiscard]] std::vector<std::string> attention_kind_names();

/// What the rows or the columns of a kind's matrices are: the source, the target, what a decoder
/// reads before it predicts the target, or slots of a memory.
enum class KindSide { kSource, kTarget, kInput, kSlots };

struct KindSides {
  KindSide rows;
  KindSide columns;
};

/// Of the kind with that name. Throws std::out_of_range if there is none.
[[nodiscard]] KindSides sides_of(const std::string& kind);

/// All the attention of one kind in a sentence pair. The rows of its matrices look at the columns,
/// and have the names `target`; columns have the names `source`, whatever they are of.
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
