#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

#include "model/transformer/residual.h"
#include "nn/recompute.h"

namespace attend::model {

/// Outputs of a layer: the stream, and other tensors with a gradient.
struct LayerOutput {
  Stream x;
  std::vector<torch::Tensor> others = {};
};

/// Runs compute(x, others) of `layer` without saving intermediates; the backward pass recomputes
/// them (nn::recomputed()). `others` are further inputs of the layer that have a gradient.
/// `compute` maps (Stream, vector of tensors) to LayerOutput and is copied.
template <class Compute>
[[nodiscard]] LayerOutput recomputed_layer(const torch::nn::Module& layer, const Stream& x,
                                           const std::vector<torch::Tensor>& others,
                                           Compute compute) {
  const auto mask = std::make_shared<nn::DropoutMask>();  // of the output
  const auto function = [compute = std::move(compute), mask,
                         arriving = x.mask](const std::vector<torch::Tensor>& tensors) {
    LayerOutput output =
        compute(Stream(tensors[0], tensors[1], arriving), {tensors.begin() + 2, tensors.end()});
    *mask = output.x.mask;
    std::vector<torch::Tensor> outputs{output.x.x, output.x.part};
    outputs.insert(outputs.end(), output.others.begin(), output.others.end());
    return outputs;
  };
  std::vector<torch::Tensor> inputs{x.x, x.part};
  inputs.insert(inputs.end(), others.begin(), others.end());
  const auto outputs = nn::recomputed(function, inputs, layer.parameters());
  return {Stream(outputs[0], outputs[1], *mask), {outputs.begin() + 2, outputs.end()}};
}

}  // namespace attend::model
