#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/parameters.h"
#include "nn/rnn/fused_cell.h"
#include "nn/rnn/library_cell.h"
#include "nn/rnn/memory_options.h"
#include "nn/rnn/names.h"

namespace attend::nn {

/// State of one recurrent cell, for N sequences.
struct CellState {
  torch::Tensor hidden;  // [N, H]; undefined before the first step, and always with nn::Ssru
  torch::Tensor cell;    // [N, H]; undefined for cells without one (GRU); [N, K] with a memory

  /// True if `cell` is a vector like `hidden`, not a memory.
  [[nodiscard]] bool has_vector() const { return cell.defined() && cell.sizes() == hidden.sizes(); }

  /// Row i of the result is row rows[i] ([N'] int64) of this state.
  [[nodiscard]] CellState select(const torch::Tensor& rows) const;
};

/// A recurrent cell. It handles its input in two calls: project() for any number of steps at once,
/// as one matrix product, then step() for each. Several projections may be added before step().
class RnnCell : public Block {
 public:
  RnnCell(int64_t input_size, int64_t hidden_size, int64_t gates);

  /// x [..., I] -> [..., gates * H], with the bias.
  [[nodiscard]] virtual torch::Tensor project(const torch::Tensor& x) const;

  /// One step with projected [N, gates * H]. `recurrent_mask` [N, H] multiplies the hidden state
  /// before the gates read it (variational dropout, Gal & Ghahramani 2016, arXiv 1512.05287: one
  /// mask for the whole sequence) and may be undefined.
  [[nodiscard]] virtual CellState step(const torch::Tensor& projected, const CellState& state,
                                       const torch::Tensor& recurrent_mask) const = 0;

  /// The cell's interface to loops of fused kernels; null if it is computed step by step.
  [[nodiscard]] virtual const FusedCell* fused() const { return nullptr; }
  /// The same computation as a recurrent layer of LibTorch; std::nullopt if there is none.
  [[nodiscard]] virtual std::optional<LibraryCell> library_form() const { return {}; }
  /// If fused() is null, the config setting that prevents the fused form.
  [[nodiscard]] virtual std::string plain_reason() const { return "cell"; }

  /// Adds project() of an input known for all steps, x [P, I] in the order of the loop's Packing.
  [[nodiscard]] fused::LoopValue project(fused::Loop& loop, const IndexedRows& x) const;

  /// Adds project() of a value that the loop computes.
  [[nodiscard]] fused::LoopValue project(fused::Loop& loop, fused::LoopValue x) const;

  /// A state inside a loop that starts from `start`, with rows in the order of the loop's Packing.
  [[nodiscard]] LoopState loop_state(fused::Loop& loop, const CellState& start) const;
  /// A state inside a loop that is not carried from step to step.
  [[nodiscard]] LoopState loop_state(fused::Loop& loop) const;

  /// True if states have a `cell` in addition to `hidden`.
  [[nodiscard]] virtual bool has_cell() const = 0;
  /// True if a state's `cell` holds a memory (memory_cell.h), which is larger than a vector [N, H].
  [[nodiscard]] virtual bool has_memory() const { return false; }
  /// Number of heads of the memory, the write head first; 0 without a memory.
  [[nodiscard]] virtual int64_t head_count() const { return 0; }
  /// Weights of the heads in a state, [N, head_count(), M]; undefined without a memory.
  [[nodiscard]] virtual torch::Tensor head_weights(const CellState&) const { return {}; }
  /// Initial state of N sequences with the type and device of `like`: zeros, except for a memory.
  [[nodiscard]] virtual CellState start(int64_t rows, const torch::Tensor& like) const;

  void initialize(const at::Generator& generator) override;

  [[nodiscard]] int64_t hidden_size() const { return hidden_size_; }
  /// Size of the projection: gates * H.
  [[nodiscard]] int64_t projection_size() const { return gates_ * hidden_size_; }

 protected:
  /// For cells that contain other cells or register their own parameters: registers no parameters.
  RnnCell(int64_t hidden_size, int64_t gates);

  torch::Tensor input_weight_;      // [gates * H, I]
  torch::Tensor recurrent_weight_;  // [gates * H, H]
  torch::Tensor bias_;              // [gates * H]

 private:
  int64_t hidden_size_;
  int64_t gates_;
};

/// Makes a cell. Only kinds with a memory read `memory`.
[[nodiscard]] std::shared_ptr<RnnCell> make_cell(CellKind kind, int64_t input_size,
                                                 int64_t hidden_size, bool layer_norm,
                                                 const MemoryOptions& memory = {});

}  // namespace attend::nn
