#include "nn/fused/program.h"

#include <c10/core/DeviceGuard.h>

#include <stdexcept>

#include "nn/execution.h"
#include "nn/shape.h"

namespace attend::nn::fused {
namespace {

/// `numbers` rounded up, so that consecutive tensors all begin where products are fast.
int64_t aligned(int64_t numbers) {
  constexpr int64_t kUnitOfMemory = 64;
  return (numbers + kUnitOfMemory - 1) / kUnitOfMemory * kUnitOfMemory;
}

}  // namespace

const kernels::Steps& Loop::Program::steps_of_parts(int64_t parts) const {
  const kernels::Steps& steps = packing.steps();
  if (parts == 1) return steps;
  const auto known = split_steps.find(parts);
  if (known != split_steps.end()) return known->second;
  std::vector<int64_t> rows;
  for (int64_t step = 0; step < steps.count(); ++step) rows.push_back(steps.rows(step) * parts);
  return split_steps.emplace(parts, kernels::Steps(rows)).first->second;
}

std::size_t Loop::Program::add_slot(int64_t size, bool has_start) {
  slots.push_back({.size = size, .has_start = has_start});
  return slots.size() - 1;
}

std::size_t Loop::Program::add_input(const torch::Tensor& tensor, Role role, std::size_t slot) {
  if (role == Role::all_steps) check_shape(tensor, {packing.steps().total(), kAny}, "Loop input");
  if (role == Role::start) check_shape(tensor, {packing.sequences(), kAny}, "Loop state");
  inputs.push_back({.tensor = tensor, .role = role, .slot = slot});
  Input& input = inputs.back();
  if (role == Role::operand) input.gradient = gradient_in_place(tensor);
  input.in_place = input.gradient.defined();
  return inputs.size() - 1;
}

std::size_t Loop::Program::add_matrix(const torch::Tensor& matrix) {
  const bool is_matrix = matrix.stride(1) == 1 && matrix.stride(0) >= matrix.size(1);
  return add_input(is_matrix ? matrix : matrix.contiguous(), Role::operand);
}

void Loop::Program::forward() {
  for (Slot& slot : slots) {
    const int64_t before = slot.has_start ? packing.sequences() : 0;
    slot.values = torch::empty({before + packing.steps().total(), slot.size}, options);
  }
  for (Input& input : inputs) {
    if (input.role != Role::all_steps && input.role != Role::start) continue;
    const Slot& slot = slots[input.slot];
    const torch::Tensor to = input.role == Role::start
                                 ? slot.values.narrow(0, 0, packing.sequences())
                                 : steps_of(slot.values, slot);
    to.copy_(input.tensor);
    input.tensor.reset();  // often the largest tensor, not used elsewhere
  }
  run(/*backward=*/false);
}

void Loop::Program::run(bool backward) const {
  const std::vector<kernels::Operations> loops = build();
  if (on_device) {
    const c10::OptionalDeviceGuard guard(options.device());
    return device::run(loops, packing.steps(), backward);
  }
  backward ? kernels::run_backward(loops, packing.steps())
           : kernels::run_forward(loops, packing.steps());
}

device::Where Loop::Program::where() const {
  device::Where where = device::where(options);
  where.precision = precision;
  return where;
}

torch::Tensor Loop::Program::earlier_rows(LoopValue x) const {
  const kernels::Steps& steps = steps_of_parts(x.parts);
  if (!spent || !x.earlier || steps.are_equal()) return {};
  torch::Tensor& rows = earlier_rows_[x.parts];
  if (rows.defined()) return rows;
  std::vector<int64_t> places;
  for (int64_t step = 0; step < steps.count(); ++step) {
    const int64_t first = steps.begin(step - 1) - steps.begin(-1);
    for (int64_t row = 0; row < steps.rows(step); ++row) places.push_back(first + row);
  }
  return rows = device::moved(places, options);
}

torch::Tensor Loop::Program::begins() const {
  if (!spent || begins_.defined()) return begins_;
  std::vector<int64_t> begins;
  for (int64_t step = -1; step <= packing.steps().count(); ++step) {
    begins.push_back(packing.steps().begin(step));
  }
  return begins_ = device::moved(begins, options);
}

torch::Tensor Loop::Program::result(const LoopResult& wanted) const {
  const Slot& slot = slots[wanted.value.index];
  const torch::Tensor all = steps_of(slot.values, slot);
  return wanted.rows.defined() ? all.index_select(0, wanted.rows) : all.detach();
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

std::vector<torch::Tensor> Loop::Program::backward(const std::vector<LoopResult>& results,
                                                   const std::vector<torch::Tensor>& arriving) {
  if (spent) {
    throw std::logic_error(
        "a fused loop supports one backward pass, which overwrites its values; for more, compute "
        "with Execution{.fused = false}");
  }
  spent = true;
  allocate_gradients();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!arriving[i].defined()) continue;
    const Slot& slot = slots[results[i].value.index];
    torch::Tensor all = steps_of(slot.gradients, slot);
    results[i].rows.defined() ? all.index_add_(0, results[i].rows, arriving[i])
                              : all.add_(arriving[i]);
  }
  run(/*backward=*/true);
  std::vector<torch::Tensor> gradients;
  for (const Input& input : inputs) gradients.push_back(gradient_of(input));
  slots.clear();
  inputs.clear();
  return gradients;
}

void Loop::Program::allocate_gradients() {
  const torch::Tensor together =
      on_device ? torch::zeros({numbers_of_gradients()}, options) : torch::Tensor();
  int64_t begin = 0;
  for (Slot& slot : slots) {
    if (slot.used_up) {
      slot.gradients = slot.values;
    } else if (on_device) {
      slot.gradients = together.narrow(0, begin, slot.values.numel()).view(slot.values.sizes());
      begin += aligned(slot.values.numel());
    } else {
      slot.gradients = torch::zeros_like(slot.values);
    }
  }
  for (Input& input : inputs) {
    if (input.role != Role::operand || input.in_place) continue;
    input.gradient = torch::zeros(input.tensor.sizes(), options);
  }
}

int64_t Loop::Program::numbers_of_gradients() const {
  int64_t numbers = 0;
  for (const Slot& slot : slots) {
    if (!slot.used_up) numbers += aligned(slot.values.numel());
  }
  return numbers;
}

torch::Tensor Loop::Program::steps_of(const torch::Tensor& memory, const Slot& slot) const {
  return slot.has_start ? memory.narrow(0, packing.sequences(), packing.steps().total()) : memory;
}

torch::Tensor Loop::Program::gradient_of(const Input& input) const {
  switch (input.role) {
    case Role::all_steps:
      return slots[input.slot].gradients;
    case Role::start:
      return slots[input.slot].gradients.narrow(0, 0, packing.sequences());
    case Role::operand:
    case Role::constant:
      break;
  }
  return input.in_place ? torch::Tensor() : input.gradient;
}

}  // namespace attend::nn::fused
