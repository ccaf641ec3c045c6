#include "nn/fused/loop.h"

#include <torch/autograd.h>

#include "nn/dropout.h"
#include "nn/execution.h"
#include "nn/fused/program.h"
#include "nn/linear.h"
#include "nn/packed_weights.h"
#include "nn/shape.h"

namespace attend::nn::fused {
namespace {

using kernels::Into;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// A whole loop as one node of the autograd graph.
class LoopFunction : public torch::autograd::Function<LoopFunction> {
 public:
  /// State for the backward pass. It holds the memory of the results but not the result tensors,
  /// since they point to the node that owns this state.
  struct Saved : torch::CustomClassHolder {
    Saved(std::shared_ptr<Loop::Program> the_program, std::vector<LoopResult> the_results)
        : program(std::move(the_program)), results(std::move(the_results)) {}
    std::shared_ptr<Loop::Program> program;
    std::vector<LoopResult> results;
  };

  static variable_list forward(AutogradContext* context, const torch::TensorList&,
                               const c10::intrusive_ptr<Saved>& saved) {
    context->set_materialize_grads(false);  // results without a gradient stay undefined
    context->saved_data["loop"] = c10::IValue::make_capsule(saved);
    Loop::Program& program = *saved->program;
    program.forward();
    variable_list results;
    for (const LoopResult& wanted : saved->results) results.push_back(program.result(wanted));
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const auto saved =
        c10::static_intrusive_pointer_cast<Saved>(context->saved_data["loop"].toCapsule());
    variable_list gradients = saved->program->backward(saved->results, arriving);
    gradients.emplace_back();  // for `saved`
    return gradients;
  }
};

}  // namespace

Loop::Loop(const Packing& packing, const Tensor& like)
    : program_(std::make_shared<Program>(
          packing, torch::TensorOptions(like.scalar_type()).device(like.device()),
          is_on_device(like))) {
  if (uses_bf16(like)) program_->precision = kernels::Precision::bf16;
}

Loop::~Loop() = default;

LoopValue Loop::input(const Tensor& all_steps) {
  const std::size_t slot = program_->add_slot(all_steps.size(1), /*has_start=*/false);
  program_->add_input(all_steps, Program::Role::all_steps, slot);
  return {slot};
}

LoopValue Loop::broadcast(const Tensor& row) {
  const Tensor all_parts = row.repeat({parts_});
  return split(input(all_parts.expand({program_->packing.steps().total(), all_parts.size(0)})),
               parts_);
}

LoopValue Loop::computed(int64_t size) {
  return {program_->add_slot(size * parts_, /*has_start=*/false), false, parts_};
}

LoopValue Loop::like(LoopValue x) {
  return {program_->add_slot(program_->slots[x.index].size, /*has_start=*/false), false, x.parts};
}

LoopValue Loop::state(const Tensor& start) {
  const Tensor rows = start.flatten(1);
  const std::size_t slot = program_->add_slot(rows.size(1), /*has_start=*/true);
  program_->add_input(rows, Program::Role::start, slot);
  return {slot, false, parts_};
}

LoopValue Loop::split(LoopValue x, int64_t parts) {
  return {x.index, x.earlier, parts};
}

void Loop::multiply(LoopValue x, const Tensor& weight, LoopValue y, Into into) {
  const Tensor like = torch::empty({0}, program_->options);
  const kernels::PackedWeight* const packed =
      program_->on_device ? nullptr : packed_for(like, weight);
  if (packed != nullptr) {
    program_->add_of_float([=](const Program& program) {
      return kernels::linear(program.series<float>(x), *packed, program.series<float>(y), into);
    });
    return;
  }
  const std::size_t operand = program_->add_matrix(weight);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::linear<T>(program.series<T>(x), program.leaf<T>(operand),
                                  program.series<T>(y), into, program.precision);
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::linear<T>(program.where(), program.series<T>(x), program.tensors(operand),
                                 program.series<T>(y), into, program.earlier_rows(x));
      });
}

LoopValue Loop::projected(const IndexedRows& x, const Tensor& weight, const Tensor& bias) {
  const int64_t total = program_->packing.steps().total();
  check_shape(x.sizes(), {total, weight.size(1)}, "Loop projected");
  const Tensor like = torch::empty({0}, program_->options);
  if (!program_->on_device && packed_for(like, weight) != nullptr) {
    const Tensor y = nn::linear(x.rows, weight, bias);
    return input(x.index.defined() ? y.index_select(0, x.index.clamp_min(0)) : y);
  }
  const std::size_t rows = program_->add_matrix(x.rows);
  const std::size_t by = program_->add_matrix(weight);
  const std::size_t plus = program_->add_input(bias.contiguous(), Program::Role::operand);
  const bool indexed = x.index.defined();
  const std::size_t index =
      indexed ? program_->add_input(x.index.contiguous(), Program::Role::constant) : 0;
  const LoopValue y = computed(weight.size(0));
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::projection<T>(
            {program.leaf<T>(rows), indexed ? program.data<int64_t>(index) : nullptr},
            {program.leaf<T>(by), program.data<T>(plus), program.gradient<T>(plus)},
            program.series<T>(y), program.precision);
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::projection<T>(program.where(), program.tensors(rows),
                                     indexed ? program.tensors(index).values : Tensor(),
                                     program.tensors(by), program.tensors(plus),
                                     program.series<T>(y));
      });
  return y;
}

void Loop::linear(LoopValue x, const Tensor& weight, LoopValue y) {
  multiply(x, weight, y, Into::overwrite);
}

void Loop::add_linear(LoopValue x, const Tensor& weight, LoopValue y) {
  multiply(x, weight, y, Into::add);
}

void Loop::lstm(LoopValue gates, LoopValue previous_cell, LoopValue cell, LoopValue hidden) {
  program_->use_up(gates);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::lstm<T>(program.series<T>(gates), program.series<T>(previous_cell),
                                program.series<T>(cell), program.series<T>(hidden));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::lstm<T>(program.where(), program.series<T>(gates),
                               program.series<T>(previous_cell), program.series<T>(cell),
                               program.series<T>(hidden));
      });
}

void Loop::gru(LoopValue from_input, LoopValue from_state, const Tensor& bias,
               LoopValue previous_hidden, LoopValue hidden) {
  program_->use_up(from_input);
  program_->use_up(from_state);
  const std::size_t operand = program_->add_input(bias.contiguous(), Program::Role::operand);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::gru<T>(program.series<T>(from_input), program.series<T>(from_state),
                               program.data<T>(operand), program.gradient<T>(operand),
                               program.series<T>(previous_hidden), program.series<T>(hidden));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::gru<T>(program.where(), program.series<T>(from_input),
                              program.series<T>(from_state), program.tensors(operand),
                              program.series<T>(previous_hidden), program.series<T>(hidden));
      });
}

void Loop::min_gru(LoopValue gates, LoopValue previous_hidden, LoopValue hidden) {
  program_->use_up(gates);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::min_gru<T>(program.series<T>(gates), program.series<T>(previous_hidden),
                                   program.series<T>(hidden));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::min_gru<T>(program.where(), program.series<T>(gates),
                                  program.series<T>(previous_hidden), program.series<T>(hidden));
      });
}

void Loop::tanh(LoopValue x) {
  program_->add(
      [=](const Program& program, auto tag) {
        return kernels::tanh_in_place<decltype(tag)>(program.series<decltype(tag)>(x));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::tanh_in_place<T>(program.where(), program.series<T>(x));
      });
}

LoopValue Loop::apply_mask(LoopValue x, const Tensor& mask, bool by_step) {
  const LoopValue y = like(x);
  const std::size_t operand =
      program_->add_input(mask.detach().contiguous(), Program::Role::constant);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::masked<T>(program.series<T>(x), program.data<T>(operand), by_step,
                                  program.series<T>(y));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::masked<T>(program.where(), program.series<T>(x), program.data<T>(operand),
                                 by_step, program.series<T>(y));
      });
  return y;
}

LoopValue Loop::masked(LoopValue x, const Tensor& mask) {
  return apply_mask(x, mask, /*by_step=*/false);
}

LoopValue Loop::dropout(LoopValue x, double probability, bool active) {
  const Packing& packing = program_->packing;
  const Tensor like = torch::empty({0}, program_->options);
  const Tensor mask =
      dropout_mask({packing.sequences(), packing.positions(), program_->slots[x.index].size},
                   probability, active, like);
  if (!mask.defined()) return x;
  return apply_mask(x, packing.pack(mask, ReadingDirection::forward), /*by_step=*/true);
}

LoopValue Loop::sum(LoopValue a, LoopValue b) {
  const LoopValue y = like(a);
  sum(a, b, y);
  return y;
}

void Loop::sum(LoopValue a, LoopValue b, LoopValue y) {
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::sum<T>(program.series<T>(a), program.series<T>(b), program.series<T>(y));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::sum<T>(program.where(), program.series<T>(a), program.series<T>(b),
                              program.series<T>(y));
      });
}

void Loop::positive(LoopValue x) {
  program_->add(
      [=](const Program& program, auto tag) {
        return kernels::positive_in_place<decltype(tag)>(program.series<decltype(tag)>(x));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::positive_in_place<T>(program.where(), program.series<T>(x));
      });
}

LoopValue Loop::scaled_direction(LoopValue x, const Tensor& factor) {
  const LoopValue y = like(x);
  const std::size_t by = program_->add_input(factor.contiguous(), Program::Role::operand);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::scaled_direction<T>(program.series<T>(x), program.data<T>(by),
                                            program.gradient<T>(by), program.series<T>(y));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::scaled_direction<T>(program.where(), program.series<T>(x),
                                           program.tensors(by), program.series<T>(y));
      });
  return y;
}

torch::Tensor Loop::drawn(int64_t parts, int64_t size, const DrawAll& draw) const {
  const Packing& packing = program_->packing;
  const Tensor like =
      torch::empty({packing.sequences(), parts, packing.positions(), size}, program_->options);
  return packing.pack(draw(like).transpose(1, 2).flatten(2), ReadingDirection::forward);
}

void Loop::normalize(LoopValue x, const Tensor& gain, const Tensor& bias, LoopValue y, Into into,
                     Into of_x) {
  const std::size_t by = program_->add_input(gain.contiguous(), Program::Role::operand);
  const std::size_t plus = program_->add_input(bias.contiguous(), Program::Role::operand);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::layer_norm<T>(program.series<T>(x),
                                      {program.data<T>(by), program.data<T>(plus),
                                       program.gradient<T>(by), program.gradient<T>(plus)},
                                      program.series<T>(y), into, of_x);
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::layer_norm<T>(program.where(), program.series<T>(x), program.tensors(by),
                                     program.tensors(plus), program.series<T>(y), into, of_x);
      });
}

LoopValue Loop::normalized(LoopValue x, const Tensor& gain, const Tensor& bias) {
  program_->use_up(x);
  const LoopValue y = like(x);
  normalize(x, gain, bias, y, Into::overwrite, Into::overwrite);
  return y;
}

void Loop::add_normalized(LoopValue x, const Tensor& gain, const Tensor& bias, LoopValue y) {
  program_->use_up(x);
  normalize(x, gain, bias, y, Into::add, Into::overwrite);
}

void Loop::normed_lstm(LoopValue gates, LoopValue previous_cell, LoopValue cell, const Tensor& gain,
                       const Tensor& bias, LoopValue hidden) {
  program_->use_up(gates);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::lstm_cell<T>(program.series<T>(gates), program.series<T>(previous_cell),
                                     program.series<T>(cell));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::lstm_cell<T>(program.where(), program.series<T>(gates),
                                    program.series<T>(previous_cell), program.series<T>(cell));
      });
  const LoopValue normed = like(hidden);
  normalize(cell, gain, bias, normed, Into::overwrite, Into::add);
  program_->add(
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return kernels::lstm_output<T>(program.series<T>(gates), program.series<T>(normed),
                                       program.series<T>(hidden));
      },
      [=](const Program& program, auto tag) {
        using T = decltype(tag);
        return device::lstm_output<T>(program.where(), program.series<T>(gates),
                                      program.series<T>(normed), program.series<T>(hidden));
      });
}

void Loop::begin_beside() {
  program_->builders.emplace_back();
}

std::vector<Tensor> Loop::run(const std::vector<LoopResult>& results) {
  variable_list inputs;
  for (const Program::Input& input : program_->inputs) inputs.push_back(input.tensor);
  // apply() finds tensors to differentiate in a TensorList, but in no other container.
  return LoopFunction::apply(torch::TensorList(inputs),
                             c10::make_intrusive<LoopFunction::Saved>(program_, results));
}

}  // namespace attend::nn::fused
