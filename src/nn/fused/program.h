#pragma once
// A program holds the memory of a loop: one slot for each value, of all steps at once, and
// operations that say what is read and written there. Operations are built twice, once for each
// pass, since the backward pass has gradients to point to and the forward pass has not.
//
// Memory is what a training step of a long sentence runs out of first, so two things are thrown
// away as soon as nobody needs them:
// - What the caller gave for all steps is copied into its slot and let go: operations add to the
//   copy.
// - The gates of an LSTM and the inputs of a GRU are read by one operation alone, which keeps in
//   their place what its backward pass wants (activated gates). That pass reads a step's numbers
//   and leaves the gradient of the gates where they were: such a slot is "used up" and has no
//   memory for gradients of its own. It follows that a loop has one backward pass, that a used-up
//   value has one reader, and that this reader must write every gradient rather than add to it.
//   Whatever produced the value (the projection of the words, the product with the state before)
//   runs backward later and finds gradients there.
// Gradients of weights take the place of no value: they are summed over all steps in one product,
// at the end, straight into gradient_in_place() where that is defined.
#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "kernels/loop/loop.h"
#include "nn/data_or_null.h"
#include "nn/fused/loop.h"
#include "nn/matrix_of.h"

namespace attend::nn::fused {

/// What a Loop has been told so far, and later the memory that it runs in.
struct Loop::Program {
  Program(const Packing& the_packing, const torch::TensorOptions& the_options)
      : packing(the_packing), options(the_options) {}

  /// Memory of one value.
  struct Slot {
    int64_t size = 0;
    bool has_start = false;        // N more rows in front
    torch::Tensor values = {};     // [P or N + P, D], from the forward pass on
    torch::Tensor gradients = {};  // the same, in the backward pass
    bool used_up = false;  // by the one operation that reads it, which overwrites its gradients:
                           // they take the place of the values
  };
  /// Which part of the memory an input of the loop came from.
  enum class Role {
    all_steps,
    start,
    operand,
    constant,  // read as an operand is, but without a gradient
  };
  struct Input {
    torch::Tensor tensor;  // of all_steps and start only until the forward pass
    Role role = Role::operand;
    std::size_t slot = 0;         // of all_steps and start
    torch::Tensor gradient = {};  // of an operand, in the backward pass
    bool in_place = false;        // the gradient is gradient_in_place(), there from the start
  };
  using Build = std::function<std::unique_ptr<kernels::Operation>(const Program&)>;

  Packing packing;
  torch::TensorOptions options;
  kernels::Precision precision = kernels::Precision::full;
  std::vector<Slot> slots;
  std::vector<Input> inputs;
  /// How to make the operations of one of several independent loops.
  struct Builders {
    std::vector<Build> of_float;
    std::vector<Build> of_double;
  };
  std::vector<Builders> builders{1};
  bool spent = false;                                     // backward() has run
  mutable std::map<int64_t, kernels::Steps> split_steps;  // those that were asked for, by parts

  /// packing.steps() with so many rows for each.
  [[nodiscard]] const kernels::Steps& steps_of_parts(int64_t parts) const;
  std::size_t add_slot(int64_t size, bool has_start);
  void use_up(LoopValue value) { slots[value.index].used_up = true; }
  std::size_t add_input(const torch::Tensor& tensor, Role role, std::size_t slot = 0);
  /// An operand that leaf() may be asked for. Its columns may be some of a larger matrix.
  std::size_t add_matrix(const torch::Tensor& matrix);
  /// Adds an operation to the last loop: `build` is called with float{} or double{} as a tag for
  /// the type.
  template <class Builder>
  void add(const Builder& build) {
    builders.back().of_float.push_back(
        [build](const Program& program) { return build(program, float{}); });
    builders.back().of_double.push_back(
        [build](const Program& program) { return build(program, double{}); });
  }

  /// Adds an operation that a loop of doubles does not have.
  void add_of_float(Build build) { builders.back().of_float.push_back(std::move(build)); }

  template <class T>
  [[nodiscard]] kernels::Series<T> series(LoopValue value) const;
  template <class T>
  [[nodiscard]] kernels::Leaf<T> leaf(std::size_t input) const;
  /// Data of an operand, and of its gradient (null in the forward pass).
  template <class T>
  [[nodiscard]] const T* data(std::size_t input) const;
  template <class T>
  [[nodiscard]] T* gradient(std::size_t input) const;

  void forward();
  [[nodiscard]] torch::Tensor result(const LoopResult& wanted) const;
  /// `arriving`: gradients of `results`, undefined where nothing arrived. Returns those of the
  /// inputs, and lets go of all memory. Throws std::logic_error if called again.
  [[nodiscard]] std::vector<torch::Tensor> backward(const std::vector<LoopResult>& results,
                                                    const std::vector<torch::Tensor>& arriving);

 private:
  /// The P rows of a value without the state in front.
  [[nodiscard]] torch::Tensor steps_of(const torch::Tensor& memory, const Slot& slot) const;
  [[nodiscard]] std::vector<kernels::Operations> build() const;
  void allocate_gradients();
  [[nodiscard]] torch::Tensor gradient_of(const Input& input) const;
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
