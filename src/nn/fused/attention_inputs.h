#pragma once
#include <functional>
#include <memory>

#include "nn/fused/attention.h"
#include "nn/fused/program.h"

// The tensors of an attention as inputs of a program, shared by attention.cpp and
// attention_on_device.cpp.
namespace attend::nn::fused::attention_inputs {

inline std::size_t add_operand(Loop::Program& program, const torch::Tensor& tensor) {
  return program.add_input(tensor.contiguous(), Loop::Program::Role::operand);
}

/// An optional input.
struct Numbers {
  bool given = false;
  std::size_t input = 0;

  static Numbers of(Loop::Program& program, const torch::Tensor& tensor) {
    if (!tensor.defined()) return {};
    return {true, add_operand(program, tensor)};
  }
  template <class T>
  [[nodiscard]] kernels::SharedNumbers<T> in(const Loop::Program& program) const {
    if (!given) return {};
    return {program.data<T>(input), program.gradient<T>(input),
            program.inputs[input].tensor.numel()};
  }
};

/// Keys as an operand, [..., S, A].
struct Keys {
  std::size_t input = 0;
  int64_t positions = 0, inner = 0;

  static Keys of(Loop::Program& program, const torch::Tensor& keys) {
    return {add_operand(program, keys), keys.size(-2), keys.size(-1)};
  }
  template <class T>
  [[nodiscard]] kernels::AttentionKeys<T> in(const Loop::Program& program) const {
    return {program.data<T>(input), program.gradient<T>(input), positions, inner};
  }
};

/// Adds an input without a gradient, if `tensor` is defined.
inline Numbers add_constant(Loop::Program& program, const torch::Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {true, program.add_input(tensor.detach().contiguous(), Loop::Program::Role::constant)};
}

/// `numbers` on the device of x. Kernels do not check that their tensors share a device.
inline torch::Tensor beside(const torch::Tensor& x, const torch::Tensor& numbers) {
  return numbers.defined() ? numbers.to(x.device(), /*non_blocking=*/true).contiguous() : numbers;
}

/// The memory of an attention as inputs of a program.
struct MemoryInputs {
  std::size_t values = 0, lengths = 0;
  Numbers owners;
  int64_t positions = 0, size = 0, heads = 1;

  static MemoryInputs of(Loop::Program& program, const LoopMemory& memory, int64_t heads) {
    return {add_operand(program, memory.values),
            program.add_input(beside(memory.values, memory.lengths), Loop::Program::Role::constant),
            add_constant(program, beside(memory.values, memory.owners)),
            memory.values.size(-2),
            memory.values.size(-1),
            heads};
  }
  template <class T>
  [[nodiscard]] kernels::AttentionMemory<T> in(const Loop::Program& program) const {
    return {positions,
            size,
            program.data<T>(values),
            program.gradient<T>(values),
            program.data<int64_t>(lengths),
            owners.given ? program.data<int64_t>(owners.input) : nullptr,
            heads};
  }
};

template <class T>
kernels::AttentionView<T> view_in(const Loop::Program& program, const LoopView& view) {
  return {view.reach, view.position,
          view.place ? program.series<T>(*view.place) : kernels::Series<T>{}, view.visible};
}

}  // namespace attend::nn::fused::attention_inputs
