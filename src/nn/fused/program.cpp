#include "nn/fused/program.h"

#include <stdexcept>

#include "nn/execution.h"

namespace attend::nn::fused {

std::size_t Loop::Program::add_slot(int64_t size, bool has_start) {
  slots.push_back({size, has_start, {}, {}, {}, {}, false});
  return slots.size() - 1;
}

std::size_t Loop::Program::add_input(const torch::Tensor& tensor, Role role, std::size_t slot) {
  inputs.push_back({tensor, role, slot, {}, false, {}});
  Input& input = inputs.back();
  if (role == Role::operand) input.gradient = gradient_in_place(tensor);
  input.in_place = input.gradient.defined();
  return inputs.size() - 1;
}

std::size_t Loop::Program::add_weight(const torch::Tensor& weight) {
  const std::size_t input =
      add_input(weight.stride(1) == 1 ? weight : weight.contiguous(), Role::operand);
  if (precision == kernels::Precision::bf16) inputs[input].rounded = rounded(weight);
  return input;
}

void Loop::Program::forward() {
  for (Slot& slot : slots) {
    slot.values = torch::empty({steps + (slot.has_start ? 1 : 0), rows, slot.size}, options);
  }
  for (Input& input : inputs) {
    if (input.role != Role::all_steps && input.role != Role::start) continue;
    const Slot& slot = slots[input.slot];
    const bool start = input.role == Role::start;
    (start ? slot.values.select(0, 0) : steps_of(slot.values, slot)).copy_(input.tensor);
    input.tensor.reset();  // often the largest tensor of all, and nobody else's
  }
  kernels::run_forward(build(), steps);
}

std::vector<kernels::Operations> Loop::Program::build() const {
  const bool is_double = options.dtype() == torch::kFloat64;
  std::vector<kernels::Operations> loops;
  for (const Builders& of_loop : builders) {
    loops.emplace_back();
    for (const Build& build : is_double ? of_loop.of_double : of_loop.of_float) {
      loops.back().push_back(build(*this));
    }
  }
  return loops;
}

std::vector<torch::Tensor> Loop::Program::backward(const std::vector<LoopValue>& results,
                                                   const std::vector<torch::Tensor>& arriving) {
  if (spent) {
    throw std::logic_error(
        "a fused loop has one backward pass, which uses up what it needs; compute with "
        "Execution{.fused = false} to have more");
  }
  spent = true;
  allocate_gradients();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Slot& slot = slots[results[i].index];
    if (arriving[i].defined()) steps_of(slot.gradients, slot).add_(arriving[i]);
  }
  kernels::run_backward(build(), steps);
  std::vector<torch::Tensor> gradients;
  for (const Input& input : inputs) gradients.push_back(gradient_of(input));
  slots.clear();
  inputs.clear();
  return gradients;
}

void Loop::Program::allocate_gradients() {
  for (Slot& slot : slots) {
    slot.gradients = slot.used_up ? slot.values : torch::zeros_like(slot.values);
    if (precision == kernels::Precision::bf16 && slot.last_product) {
      slot.rounded = torch::empty({steps, rows, slot.size}, torch::kInt16);
    }
  }
  for (Input& input : inputs) {
    if (input.role != Role::operand || input.in_place) continue;
    input.gradient = torch::zeros(input.tensor.sizes(), options);
  }
}

torch::Tensor Loop::Program::steps_of(const torch::Tensor& memory, const Slot& slot) const {
  return slot.has_start ? memory.narrow(0, 1, steps) : memory;
}

torch::Tensor Loop::Program::gradient_of(const Input& input) const {
  switch (input.role) {
    case Role::all_steps:
      return slots[input.slot].gradients;
    case Role::start:
      return slots[input.slot].gradients.select(0, 0);
    case Role::operand:
    case Role::constant:
      break;
  }
  return input.in_place ? torch::Tensor() : input.gradient;
}

}  // namespace attend::nn::fused
