#pragma once
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/product/gemm.h"
#include "nn/fused/packing.h"

namespace attend::nn::fused {

/// A value that a Loop has at every step; with `earlier`, its value one step before.
struct LoopValue {
  std::size_t index = 0;
  bool earlier = false;
  int64_t parts = 1;  // number of parts that operations treat as rows: Loop::split()

  [[nodiscard]] LoopValue before() const { return {index, true, parts}; }
};

/// A result that run() returns.
struct LoopResult {
  LoopValue value;
  torch::Tensor rows = {};  // [K] int64: numbers of the rows to return; undefined: all P
};

struct LoopAttention;  // nn/fused/attention.h

/// A loop over the steps of N sequences, built operation by operation and then run as a whole, with
/// one hand-written backward pass (kernels/loop/loop.h). A Packing lays out the values of every
/// step, [P, D]. Values that are the same at every step and states before the first step have their
/// rows in Packing::order(). Inputs that require gradients get them. Weights are [out, in] and may
/// be slices of columns; their packed form is used if packed_for() has one. Requires: all tensors
/// are float, or all double, on the device of the packing; see runs_in_loop().
///
///   const Packing packing(lengths, steps);
///   Loop loop(packing, like);
///   const IndexedRows packed = packing.pack(x, ReadingDirection::forward);  // x [N, T, E]
///   const LoopValue gates = loop.projected(packed, input_weight, bias);  // [4H]
///   const CellState first = start.select(packing.order());               // [N, H]
///   const LoopValue hidden = loop.state(first.hidden);
///   const LoopValue cell = loop.state(first.cell);
///   loop.add_linear(hidden.before(), weight, gates);
///   loop.lstm(gates, cell.before(), cell, hidden);
///   const std::vector<torch::Tensor> results = loop.run({{hidden}, {cell, packing.last()}});
class Loop {
 public:
  /// Computes in the type of `like`.
  Loop(const Packing& packing, const torch::Tensor& like);
  ~Loop();

  /// A value with the content all_steps [P, D]. The loop copies `all_steps`, so operations may add
  /// to the value.
  [[nodiscard]] LoopValue input(const torch::Tensor& all_steps);
  /// x W^T + b for all steps at once: x [P, I], weight [D, I], bias [D]. If x has an index, each
  /// distinct row is multiplied once.
  [[nodiscard]] LoopValue projected(const IndexedRows& x, const torch::Tensor& weight,
                                    const torch::Tensor& bias);
  /// A value of D numbers that an operation computes.
  [[nodiscard]] LoopValue computed(int64_t size);
  /// A computed value of D numbers that has a state before the first step: start [N, D].
  [[nodiscard]] LoopValue state(const torch::Tensor& start);

  /// A value that is `row` [D] at every step.
  [[nodiscard]] LoopValue broadcast(const torch::Tensor& row);

  /// y = x W^T.
  void linear(LoopValue x, const torch::Tensor& weight, LoopValue y);
  /// y += x W^T.
  void add_linear(LoopValue x, const torch::Tensor& weight, LoopValue y);
  /// An LSTM step (kernels/cells/lstm.h). gates [4H]: i, f, g, o.
  void lstm(LoopValue gates, LoopValue previous_cell, LoopValue cell, LoopValue hidden);
  /// A GRU step (kernels/cells/gru.h). Both inputs [3H]: r, z, n; bias [H].
  void gru(LoopValue from_input, LoopValue from_state, const torch::Tensor& bias,
           LoopValue previous_hidden, LoopValue hidden);
  /// A minimal GRU step (kernels/cells/min_gru.h). gates [2H]: z, n.
  void min_gru(LoopValue gates, LoopValue previous_hidden, LoopValue hidden);
  /// x = tanh x.
  void tanh(LoopValue x);
  /// x * mask, with one mask [N, D] for all steps. No gradient for the mask.
  [[nodiscard]] LoopValue masked(LoopValue x, const torch::Tensor& mask);
  /// Dropout with a new mask for every step, equal to nn::dropout() at each step of a StepsScope.
  /// Returns x unless `active`.
  [[nodiscard]] LoopValue dropout(LoopValue x, double probability, bool active);
  /// a + b, of equal sizes.
  [[nodiscard]] LoopValue sum(LoopValue a, LoopValue b);
  /// y = a + b.
  void sum(LoopValue a, LoopValue b, LoopValue y);
  /// x + 1 where x > 0, else e^x, in place.
  void positive(LoopValue x);
  /// factor x / max(|x|, 1e-8), factor [1].
  [[nodiscard]] LoopValue scaled_direction(LoopValue x, const torch::Tensor& factor);
  /// Layer normalisation of x with `gain` and `bias` [D]. Uses up x.
  [[nodiscard]] LoopValue normalized(LoopValue x, const torch::Tensor& gain,
                                     const torch::Tensor& bias);
  /// Adds the layer normalisation of x to y.
  void add_normalized(LoopValue x, const torch::Tensor& gain, const torch::Tensor& bias,
                      LoopValue y);
  /// lstm() that computes its hidden state from the normalised cell.
  void normed_lstm(LoopValue gates, LoopValue previous_cell, LoopValue cell,
                   const torch::Tensor& gain, const torch::Tensor& bias, LoopValue hidden);
  /// Attention (nn/fused/attention.h): query -> weights [S], context [C].
  void attend(LoopValue query, const LoopAttention& attention, LoopValue weights,
              LoopValue context);
  /// Returns the numbers [P, parts * size] from draw(like), which draws [N, parts, T, size] for all
  /// steps, including padding.
  using DrawAll = std::function<torch::Tensor(const torch::Tensor& like)>;
  [[nodiscard]] torch::Tensor drawn(int64_t parts, int64_t size, const DrawAll& draw) const;

  /// Splits x of D numbers into `parts` values of D / parts numbers each, which operations treat as
  /// rows.
  [[nodiscard]] static LoopValue split(LoopValue x, int64_t parts);
  /// Makes later calls of computed(), broadcast() and state() create values of `parts` parts with
  /// `size` numbers each; start [N, parts * D] or [N, parts, D].
  void begin_parts(int64_t parts) { parts_ = parts; }

  /// Starts an independent loop over the same steps for the operations added later. It shares no
  /// values with earlier loops and may run in parallel on another thread.
  void begin_beside();

  /// Runs the loop; call it once. Returns each result as [P, D] or [K, D]. Results of all rows
  /// share memory with the backward pass, so do not change them in place.
  [[nodiscard]] std::vector<torch::Tensor> run(const std::vector<LoopResult>& results);

  struct Program;

 private:
  void attend_on_device(LoopValue query, const LoopAttention& attention, LoopValue weights,
                        LoopValue context);
  LoopValue apply_mask(LoopValue x, const torch::Tensor& mask, bool by_step);
  void multiply(LoopValue x, const torch::Tensor& weight, LoopValue y, kernels::Into into);
  void normalize(LoopValue x, const torch::Tensor& gain, const torch::Tensor& bias, LoopValue y,
                 kernels::Into into, kernels::Into of_x);
  /// A new value with the size and parts of x.
  [[nodiscard]] LoopValue like(LoopValue x);

  std::shared_ptr<Program> program_;
  int64_t parts_ = 1;
};

}  // namespace attend::nn::fused
