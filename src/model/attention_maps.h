#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace attend::model {

/// Attention weights of one kind: one [B, heads, T, S] for each layer with such attention, lowest
/// layer first, even if it has one head. Rows and columns of padding are meaningless. Empty if no
/// layer has such attention.
using LayerMaps = std::vector<torch::Tensor>;

/// Number of heads of one kind of attention in each layer that has it, lowest layer first.
using LayerHeads = std::vector<int64_t>;

/// Numbers of the attention heads of a model. They do not depend on its input.
struct AttentionHeads {
  LayerHeads encoder;  // self-attention of the source
  LayerHeads decoder;  // self-attention of the target
  LayerHeads cross;    // attention from the target to the source
  /// Heads that address the slots of a cell's memory, the write head first. In a bidirectional
  /// encoder each direction counts as a layer, forward first.
  LayerHeads encoder_memory = {};
  LayerHeads decoder_memory = {};
  /// True if the encoder's self-attention layers are stacked on one another and on the words, so
  /// that attention rollout is meaningful.
  bool encoder_is_stack = false;
};

}  // namespace attend::model
