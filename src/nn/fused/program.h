#pragma once
// A program holds the memory of a loop, one slot per value for all steps, and the operations that
// read and write the slots. Each pass builds the operations anew, since only the backward pass has
// gradients to point to.
//
// Long training sentences need the most memory, so two kinds of memory are released early:
// - An input for all steps is copied into its slot and released; operations add to the copy.
// - Only one operation reads the gates of an LSTM or the inputs of a GRU. It replaces them by the
//   values for its backward pass (activated gates), and that pass replaces these by the gradient of
//   the gates. Such a slot is "used up" and has no separate memory for gradients. So a loop has
//   only one backward pass, a used-up value has only one reader, and this reader must overwrite
//   every gradient, not add to it. The operation that produced the value (the projection of the
//   words, the product with the previous state) runs backward later and finds the gradient there.
// Gradients of weights are summed over all steps in one product at the end, directly into
// gradient_in_place() if it is defined.
#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/loop/loop.h"
#include "nn/data_or_null.h"
#include "nn/fused/device/operations.h"
#include "nn/fused/loop.h"
#include "nn/matrix_of.h"

namespace attend::nn::fused {

/// The operations of a Loop, and later its memory.
struct Loop::Program {
  Program(Packing the_packing, const torch::TensorOptions& the_options, bool by_device)
      : packing(std::move(the_packing)), options(the_options), on_device(by_device) {}

  /// Memory of one value.
  struct Slot {
    int64_t size = 0;
    bool has_start = false;        // N more rows at the start
    torch::Tensor values = {};     // [P or N + P, D], from the forward pass on
    torch::Tensor gradients = {};  // as values, in the backward pass
    bool used_up = false;          // its only reader overwrites the values with their gradients
  };
  /// Use of an input of the loop.
  enum class Role {
    all_steps,
    start,
    operand,
    constant,  // an operand without a gradient
  };
  struct Input {
    torch::Tensor tensor;  // released in the forward pass for all_steps and start
    Role role = Role::operand;
    std::size_t slot = 0;         // for all_steps and start
    torch::Tensor gradient = {};  // for operands, in the backward pass
    bool in_place = false;        // the gradient is gradient_in_place()
  };
  using Build = std::function<std::unique_ptr<kernels::Operation>(const Program&)>;

  Packing packing;
  torch::TensorOptions options;
  bool on_device = false;  // runs the operations of nn/fused/device instead of kernels/loop
  kernels::Precision precision = kernels::Precision::full;
  std::vector<Slot> slots;
  std::vector<Input> inputs;
  /// Builders of the operations of one of several independent loops.
  struct Builders {
    std::vector<Build> of_float;
    std::vector<Build> of_double;
  };
  std::vector<Builders> builders{1};
  bool spent = false;                                     // backward() has run
  mutable std::map<int64_t, kernels::Steps> split_steps;  // cache of steps_of_parts(), by parts

  /// packing.steps() with `parts` rows for each row.
  [[nodiscard]] const kernels::Steps& steps_of_parts(int64_t parts) const;
  std::size_t add_slot(int64_t size, bool has_start);
  void use_up(LoopValue value) { slots[value.index].used_up = true; }
  std::size_t add_input(const torch::Tensor& tensor, Role role, std::size_t slot = 0);
  /// Adds an operand for leaf(). It may be a slice of columns of a larger matrix.
  std::size_t add_matrix(const torch::Tensor& matrix);
  /// Adds an operation to the last loop; calls `build` with float{} or double{} as a tag for the
  /// type.
  template <class Builder>
  void add(const Builder& build) {
    builders.back().of_float.push_back(
        [build](const Program& program) { return build(program, float{}); });
    builders.back().of_double.push_back(
        [build](const Program& program) { return build(program, double{}); });
  }

  /// Adds an operation that kernels/loop and nn/fused/device each have.
  template <class Builder, class DeviceBuilder>
  void add(const Builder& build, const DeviceBuilder& build_on_device) {
    on_device ? add(build_on_device) : add(build);
  }

  /// Adds an operation to loops of float only.
  void add_of_float(Build build) { builders.back().of_float.push_back(std::move(build)); }

  template <class T>
  [[nodiscard]] kernels::Series<T> series(LoopValue value) const;
  template <class T>
  [[nodiscard]] kernels::Leaf<T> leaf(std::size_t input) const;
  /// Data of an operand and of its gradient (null in the forward pass).
  template <class T>
  [[nodiscard]] const T* data(std::size_t input) const;
  template <class T>
  [[nodiscard]] T* gradient(std::size_t input) const;

  // For builders of nn/fused/device:
  [[nodiscard]] device::Where where() const;
  [[nodiscard]] device::Leaf tensors(std::size_t input) const {
    return {inputs[input].tensor.detach(), spent ? inputs[input].gradient : torch::Tensor()};
  }
  /// The rows of a state's memory, including its start, that `x` reads in all steps. Undefined in
  /// the forward pass and if these rows are contiguous.
  [[nodiscard]] torch::Tensor earlier_rows(LoopValue x) const;
  /// [steps + 2] int64: begin() of each step of packing.steps() from -1 on. Undefined in the
  /// forward pass.
  [[nodiscard]] torch::Tensor begins() const;

  void forward();
  [[nodiscard]] torch::Tensor result(const LoopResult& wanted) const;
  /// Returns the gradients of the inputs, given `arriving`, the gradients of `results` (undefined:
  /// none), and releases all memory. Throws std::logic_error if called again.
  [[nodiscard]] std::vector<torch::Tensor> backward(const std::vector<LoopResult>& results,
                                                    const std::vector<torch::Tensor>& arriving);

 private:
  /// The P rows of a value without the state before the first step.
  [[nodiscard]] torch::Tensor steps_of(const torch::Tensor& memory, const Slot& slot) const;
  [[nodiscard]] std::vector<kernels::Operations> build() const;
  void run(bool backward) const;
  void allocate_gradients();
  /// Size of the block of memory for the gradients of all slots, which a GPU clears at once.
  [[nodiscard]] int64_t numbers_of_gradients() const;

  [[nodiscard]] torch::Tensor gradient_of(const Input& input) const;

  mutable torch::Tensor begins_;                           // cache of begins()
  mutable std::map<int64_t, torch::Tensor> earlier_rows_;  // cache of earlier_rows(), by parts
};

template <class T>
kernels::Series<T> Loop::Program::series(LoopValue value) const {
  const Slot& slot = slots[value.index];
  const int64_t offset = slot.has_start ? packing.sequences() * slot.size : 0;
  T* const gradients =
      slot.gradients.defined() ? slot.gradients.template data_ptr<T>() + offset : nullptr;
  const kernels::Series<T> series{slot.values.template data_ptr<T>() + offset, gradients,
                                  &steps_of_parts(value.parts), slot.size / value.parts};
  return value.earlier ? series.before() : series;
}

template <class T>
const T* Loop::Program::data(std::size_t input) const {
  return inputs[input].tensor.template data_ptr<T>();
}

template <class T>
T* Loop::Program::gradient(std::size_t input) const {
  const torch::Tensor& gradient = inputs[input].gradient;
  return data_or_null<T>(gradient);
}

template <class T>
kernels::Leaf<T> Loop::Program::leaf(std::size_t input) const {
  const torch::Tensor& to = inputs[input].gradient;
  return {matrix_of<const T>(inputs[input].tensor),
          to.defined() ? matrix_of<T>(to) : kernels::Matrix<T>{}};
}

}  // namespace attend::nn::fused
