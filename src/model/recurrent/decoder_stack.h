#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "model/options.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// Masks of variational dropout for one sequence, one per layer; undefined: no dropout.
using LayerMasks = std::vector<torch::Tensor>;

/// Stacked recurrent cells that are stepped one target position at a time.
class DecoderStack : public torch::nn::Module {
 public:
  struct Stepped {
    torch::Tensor output;               // [N, H] of the top layer, including the residual
    std::vector<nn::CellState> layers;  // new states, lowest first
  };

  /// `layers` cells as given by `options`; the lowest reads vectors of `input_size`.
  DecoderStack(const ModelOptions& options, int64_t layers, int64_t input_size);

  /// x [..., input_size] -> the lowest cell's projection, [..., gates * H], for any number of
  /// steps.
  [[nodiscard]] torch::Tensor project(const torch::Tensor& x) const;

  /// The same inside a loop, for a value that it computes.
  [[nodiscard]] nn::fused::LoopValue project(nn::fused::Loop& loop, nn::fused::LoopValue x) const;

  /// One step. projected [N, gates * H] is the sum of all inputs of the lowest cell. `layers` and
  /// `masks` have one entry per cell. `shortcut` [N, H] is added to the lowest cell's output: the
  /// residual around a cell that stands on others; undefined: none.
  [[nodiscard]] Stepped step(const torch::Tensor& projected,
                             const std::vector<nn::CellState>& layers, const LayerMasks& masks,
                             const torch::Tensor& shortcut = {}) const;

  /// The layers' states inside a loop that starts from `layers`.
  [[nodiscard]] std::vector<nn::LoopState> loop_states(
      nn::fused::Loop& loop, const std::vector<nn::CellState>& layers) const;

  /// True if all of its cells have a fused form.
  [[nodiscard]] bool has_fused_form() const;

  /// Adds step() to a loop and returns the output. Overwrites `projected` [gates * H]. Requires:
  /// has_fused_form().
  nn::fused::LoopValue unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                              const std::vector<nn::LoopState>& states, const LayerMasks& masks,
                              std::optional<nn::fused::LoopValue> shortcut = {}) const;

  /// True if run_library() computes the same as step() for all positions; see
  /// nn/device/sequence.h.
  [[nodiscard]] bool has_library_form(const torch::Tensor& like, const LayerMasks& masks) const;

  /// The output for all positions of x [N, T, input_size], each layer in one call: [N, T, H].
  [[nodiscard]] torch::Tensor run_library(const torch::Tensor& x,
                                          const std::vector<nn::CellState>& layers) const;

  /// Lowest first.
  [[nodiscard]] const std::vector<std::shared_ptr<nn::RnnCell>>& cells() const { return cells_; }

  /// Size of the projection: gates * H.
  [[nodiscard]] int64_t projection_size() const { return cells_.front()->projection_size(); }

 private:
  double layer_dropout_;
  bool residual_;
  std::vector<std::shared_ptr<nn::RnnCell>> cells_;
};

}  // namespace attend::model
