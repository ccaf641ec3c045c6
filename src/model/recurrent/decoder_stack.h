#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "model/options.h"
#include "nn/rnn/cell.h"

namespace attend::model {

/// Masks of variational dropout for one sequence: one per layer, undefined where there is none.
using LayerMasks = std::vector<torch::Tensor>;

/// Stacked recurrent cells that are stepped one target position at a time.
class DecoderStack : public torch::nn::Module {
 public:
  struct Stepped {
    torch::Tensor output;               // [N, H] of the top layer, residual included
    std::vector<nn::CellState> layers;  // new states, lowest first
  };

  /// `layers` cells as `options` asks, the lowest reading vectors of `input_size`.
  DecoderStack(const ModelOptions& options, int64_t layers, int64_t input_size);

  /// x [..., input_size] -> what the lowest cell makes of it, [..., gates * H]: for any number of
  /// steps at once.
  [[nodiscard]] torch::Tensor project(const torch::Tensor& x) const;

  /// The same inside a loop, of what is known for all steps, x [P, input_size] as the loop's
  /// Packing has it, or of a value that the loop computes.
  [[nodiscard]] nn::fused::LoopValue project(nn::fused::Loop& loop, const nn::IndexedRows& x) const;
  [[nodiscard]] nn::fused::LoopValue project(nn::fused::Loop& loop, nn::fused::LoopValue x) const;

  /// projected [N, gates * H]: the lowest cell's input, all parts added. `layers` and `masks`: one
  /// for each cell. `shortcut` [N, H] is added to the lowest cell's output, the residual around a
  /// cell that stands on others; undefined: none.
  [[nodiscard]] Stepped step(const torch::Tensor& projected,
                             const std::vector<nn::CellState>& layers, const LayerMasks& masks,
                             const torch::Tensor& shortcut = {}) const;

  /// Whether unroll() may be called: all layers have a fused form.
  [[nodiscard]] bool is_fusible() const;

  /// The layers' states inside a loop that begins with `layers`.
  [[nodiscard]] std::vector<nn::LoopState> loop_states(
      nn::fused::Loop& loop, const std::vector<nn::CellState>& layers) const;

  /// Adds step() to a loop; `projected` [gates * H] is used up. Returns the output.
  nn::fused::LoopValue unroll(nn::fused::Loop& loop, nn::fused::LoopValue projected,
                              const std::vector<nn::LoopState>& states, const LayerMasks& masks,
                              std::optional<nn::fused::LoopValue> shortcut = {}) const;

  /// Masks for one sequence of N rows, drawn anew at each call in training and all undefined
  /// otherwise.
  [[nodiscard]] LayerMasks draw_masks(int64_t rows, const torch::Tensor& like) const;

  /// Rows of a projection: gates * H.
  [[nodiscard]] int64_t projection_size() const { return cells_.front()->projection_size(); }

 private:
  double layer_dropout_;
  double recurrent_dropout_;
  bool residual_;
  std::vector<std::shared_ptr<nn::RnnCell>> cells_;
};

}  // namespace attend::model
