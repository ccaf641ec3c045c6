#include "nn/fused/program.h"

#include <stdexcept>

namespace attend::nn::fused {

std::size_t Loop::Program::add_slot(int64_t size, bool has_start) {
  slots.push_back({size, has_start, {}, {}, false});
  return slots.size() - 1;
}

std::size_t Loop::Program::add_input(const torch::Tensor& tensor, Role role, std::size_t slot) {
  inputs.push_back({tensor, role, slot, {}});
  return inputs.size() - 1;
}

void Loop::Program::allocate(bool with_gradients) {
  for (Slot& slot : slots) {
    const int64_t all = steps + (slot.has_start ? 1 : 0);
    slot.values = torch::empty({all, rows, slot.size}, options);
    if (with_gradients)
      slot.gradients = slot.used_up ? slot.values : torch::empty_like(slot.values);
  }
  for (Input& input : inputs) {
    if (with_gradients && input.role == Role::operand) {
      input.gradient = torch::empty(input.tensor.sizes(), options);
    }
  }
}

void Loop::Program::forward() {
  for (Input& input : inputs) {
    if (input.role != Role::all_steps && input.role != Role::start) continue;
    const Slot& slot = slots[input.slot];
    const bool start = input.role == Role::start;
    (start ? slot.values.select(0, 0) : steps_of(slot.values, slot)).copy_(input.tensor);
    input.tensor.reset();  // often the largest tensor of all, and nobody else's
  }
  loops.clear();
  for (const Builders& of_loop : builders) {
    loops.emplace_back();
    const bool is_double = options.dtype() == torch::kFloat64;
    for (const Build& build : is_double ? of_loop.of_double : of_loop.of_float) {
      loops.back().push_back(build(*this));
    }
  }
  kernels::run_forward(loops, steps);
}

void Loop::Program::backward(const std::vector<LoopValue>& results,
                             const std::vector<torch::Tensor>& arriving) {
  if (spent) {
    throw std::logic_error(
        "a fused loop has one backward pass, which uses up what it needs; compute with "
        "Execution{.fused = false} to have more");
  }
  spent = true;
  for (Slot& slot : slots) {
    if (!slot.used_up) slot.gradients.zero_();
  }
  for (Input& input : inputs) {
    if (input.gradient.defined()) input.gradient.zero_();
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Slot& slot = slots[results[i].index];
    if (arriving[i].defined()) steps_of(slot.gradients, slot).add_(arriving[i]);
  }
  kernels::run_backward(loops, steps);
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
  return input.gradient;
}

}  // namespace attend::nn::fused
