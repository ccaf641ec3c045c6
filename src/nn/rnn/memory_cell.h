#pragma once
#include <memory>
#include <vector>

#include "nn/linear.h"
#include "nn/rnn/cell.h"
#include "nn/rnn/memory_options.h"

namespace attend::nn {

/// What a cell with a memory carries from step to step, beside its hidden state and its
/// controller's: M slots of W numbers, one head that writes and R that read.
struct MemoryState {
  torch::Tensor reads;            // [N, R, W] what was read last
  torch::Tensor memory;           // [N, M, W]
  torch::Tensor write_weights;    // [N, M]
  torch::Tensor read_weights;     // [N, R, M]
  torch::Tensor usage = {};       // [N, M]; this and those below: dnc
  torch::Tensor precedence = {};  // [N, M]
  torch::Tensor link = {};        // [N, M, M]
};

/// A recurrent cell with a memory beside its state, which it reads and writes by heads. A step:
///   h = controller(x, y', r'),   memory and r by what h says to the heads,   y = h + W_r r
/// where y', r' are the hidden state and the vectors read at the step before. The hidden state is
/// y, so that whatever follows a cell sees what was read. (Papers feed h back, not y; as the gates
/// see W_r' r' anyway, an LSTM without layer normalisation can be the same function.) `cell` of a
/// state is the controller's, if it has one, and the MemoryState, number by number in the order of
/// its fields.
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
  /// Nothing: its parts are blocks themselves.
  void initialize(const at::Generator& generator) override;

  /// What `cell` [N, K] of a state holds of the memory; and a `cell` of these, and of the
  /// controller's cell state [N, H], undefined if that has none.
  [[nodiscard]] MemoryState memory_of(const torch::Tensor& cell) const;
  [[nodiscard]] torch::Tensor cell_of(const torch::Tensor& controller,
                                      const MemoryState& memory) const;

 protected:
  /// `first_said` [interface]: the numbers that tell the heads what to do, as they are where the
  /// controller's state is 0 and nothing has been learnt.
  MemoryCell(int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& options,
             const torch::Tensor& first_said);

  /// One step of all heads. `said` [N, interface].
  [[nodiscard]] virtual MemoryState access(const torch::Tensor& said,
                                           const MemoryState& before) const = 0;
  /// What a sequence begins with.
  [[nodiscard]] virtual MemoryState first(int64_t rows, const torch::Tensor& like) const = 0;
  /// Whether it has the fields that only dnc has.
  [[nodiscard]] virtual bool keeps_order() const = 0;

  [[nodiscard]] const MemoryOptions& options() const { return options_; }

 private:
  /// What a `cell` [N, K] holds.
  struct Parts {
    torch::Tensor controller;  // [N, H]; undefined if the controller has no cell state
    MemoryState memory;
  };
  [[nodiscard]] Parts parts_of(const torch::Tensor& cell) const;

  MemoryOptions options_;
  std::shared_ptr<RnnCell> controller_;
  std::shared_ptr<Linear> reads_in_;   // to the controller's gates
  std::shared_ptr<Linear> interface_;  // of the controller's state
  std::shared_ptr<Linear> reads_out_;  // W_r
};

}  // namespace attend::nn
