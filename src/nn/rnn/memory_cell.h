#pragma once
#include <memory>
#include <vector>

#include "nn/linear.h"
#include "nn/rnn/cell.h"
#include "nn/rnn/memory_options.h"

namespace attend::nn {

/// State of a memory cell, apart from its hidden state and the state of its controller. The memory
/// has M slots of W numbers, one write head and R read heads.
struct MemoryState {
  torch::Tensor reads;            // [N, R, W] vectors read in the last step
  torch::Tensor memory;           // [N, M, W]
  torch::Tensor write_weights;    // [N, M]
  torch::Tensor read_weights;     // [N, R, M]
  torch::Tensor usage = {};       // [N, M]; this and the fields below: dnc only
  torch::Tensor precedence = {};  // [N, M]
  torch::Tensor link = {};        // [N, M, M]
};

/// A recurrent cell with a memory that heads read and write. One step:
///   h = controller(x, y', r'),   memory and r as h instructs the heads,   y = h + W_r r
/// where y', r' are the hidden state and the vectors read in the previous step. The hidden state is
/// y, so everything after the cell sees what was read. (The papers feed back h, not y. Since the
/// gates see W_r' r' anyway, an LSTM without layer normalisation can represent the same function.)
/// The `cell` of a state concatenates the controller's cell state, if any, and the MemoryState in
/// the order of its fields.
class MemoryCell : public RnnCell {
 public:
  [[nodiscard]] torch::Tensor project(const torch::Tensor& x) const override;
  [[nodiscard]] CellState step(const torch::Tensor& projected, const CellState& state,
                               const torch::Tensor& recurrent_mask) const override;
  [[nodiscard]] bool has_cell() const override { return true; }
  [[nodiscard]] bool has_memory() const override { return true; }
  [[nodiscard]] int64_t head_count() const override { return options_.heads + 1; }
  [[nodiscard]] torch::Tensor head_weights(const CellState& state) const override;
  [[nodiscard]] CellState start(int64_t rows, const torch::Tensor& like) const override;
  /// Does nothing: the parts are blocks that initialise themselves.
  void initialize(const at::Generator& generator) override;

  /// Conversions between the `cell` [N, K] of a state and its parts: the memory, and the
  /// controller's cell state [N, H], undefined if it has none.
  [[nodiscard]] MemoryState memory_of(const torch::Tensor& cell) const;
  [[nodiscard]] torch::Tensor cell_of(const torch::Tensor& controller,
                                      const MemoryState& memory) const;

 protected:
  /// `first_instructions` [interface]: the instructions to the heads before training, if the
  /// controller's state is 0.
  MemoryCell(int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& options,
             const torch::Tensor& first_instructions);

  /// One step of all heads. `instructions` [N, interface] are the controller's instructions.
  [[nodiscard]] virtual MemoryState access(const torch::Tensor& instructions,
                                           const MemoryState& before) const = 0;
  /// Initial memory of each sequence.
  [[nodiscard]] virtual MemoryState first(int64_t rows, const torch::Tensor& like) const = 0;
  /// True if the state also records the order of writes, in the fields that only dnc has.
  [[nodiscard]] virtual bool keeps_order() const = 0;

  [[nodiscard]] const MemoryOptions& options() const { return options_; }

 private:
  /// The parts of a `cell` [N, K].
  struct Parts {
    torch::Tensor controller;  // [N, H]; undefined if the controller has no cell state
    MemoryState memory;
  };
  [[nodiscard]] Parts parts_of(const torch::Tensor& cell) const;

  MemoryOptions options_;
  std::shared_ptr<RnnCell> controller_;
  std::shared_ptr<Linear> reads_in_;   // from the vectors read to the gates of the controller
  std::shared_ptr<Linear> interface_;  // from the state of the controller to instructions
  std::shared_ptr<Linear> reads_out_;  // W_r
};

}  // namespace attend::nn
