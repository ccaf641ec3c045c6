#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace attend::model {

/// The attention of one kind in all layers that have it, lowest first: [B, heads, T, S] each, with
/// the heads of one head, too. Rows and columns of padding mean nothing. Empty: there is none.
using LayerMaps = std::vector<torch::Tensor>;

/// How many heads each layer has that attends in one way, lowest first; empty: none does.
using LayerHeads = std::vector<int64_t>;

/// What can be known of a model's attention before it has read anything.
struct AttentionHeads {
  LayerHeads encoder;  // of the source to itself
  LayerHeads decoder;  // of the target to itself
  LayerHeads cross;    // of the target to the source
  /// Of cells with a memory: the heads that move through its slots, the one that writes first. Of
  /// an encoder that reads both ways each way is a layer, forward first.
  LayerHeads encoder_memory = {};
  LayerHeads decoder_memory = {};
  /// Whether the layers of the encoder's self-attention stand on one another and on the words, so
  /// that attention rollout says something of these.
  bool encoder_is_stack = false;
};

}  // namespace attend::model
