#pragma once
#include <string>
#include <vector>

#include "align/attention_matrix.h"

namespace attend::align {

/// The names of all kinds of attention. "encoder" is the self-attention of the source, "decoder"
/// the self-attention of the target, "cross" the attention of the target to the source.
/// "encoder_memory" and "decoder_memory" are the attention of a memory cell's heads to its memory
/// slots.
[[nodiscard]] std::vector<std::string> attention_kind_names();

/// The tokens of the rows or columns of a kind's matrices: source, target, decoder input (the
/// target shifted by one) or memory slots.
enum class KindSide { kSource, kTarget, kInput, kSlots };

struct KindSides {
  KindSide rows;
  KindSide columns;
};

/// The sides of the rows and columns of the kind `kind`. Throws std::out_of_range for an unknown
/// name.
[[nodiscard]] KindSides sides_of(const std::string& kind);

/// All attention of one kind in a sentence pair. The rows of each matrix attend to its columns. The
/// names of rows are in `target` and those of columns in `source`, whatever their KindSide is.
struct AttentionKind {
  std::string name;                     ///< one of attention_kind_names()
  std::vector<AttentionMatrix> layers;  ///< lowest first; `weights` is the mean over the heads
  AttentionMatrix rollout;              ///< has no weights if there is no rollout
};

/// The tables of a layer's heads; the layer's weights if it has a single head.
[[nodiscard]] std::vector<WeightTable> heads_of(const AttentionMatrix& layer);

/// Applies `change` to every matrix.
template <class Change>
[[nodiscard]] AttentionKind changed(const AttentionKind& kind, const Change& change) {
  AttentionKind result{kind.name, {}, {}};
  for (const AttentionMatrix& layer : kind.layers) result.layers.push_back(change(layer));
  if (kind.rollout.has_weights()) result.rollout = change(kind.rollout);
  return result;
}

}  // namespace attend::align
