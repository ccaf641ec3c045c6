#include "nn/fused/attention.h"

#include <functional>
#include <memory>

#include "nn/fused/attention_inputs.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using namespace attention_inputs;
using Program = Loop::Program;

/// Creates an energy's kernel once memory is allocated.
struct EnergyMaker {
  std::function<std::unique_ptr<kernels::AttentionEnergy<float>>(const Program&)> of_float;
  std::function<std::unique_ptr<kernels::AttentionEnergy<double>>(const Program&)> of_double;

  [[nodiscard]] auto make(const Program& program, float) const { return of_float(program); }
  [[nodiscard]] auto make(const Program& program, double) const { return of_double(program); }
};

/// Makes an EnergyMaker that calls `build` with float{} or double{} as a tag for the type.
template <class Build>
EnergyMaker maker(const Build& build) {
  return {[build](const Program& program) { return build(program, float{}); },
          [build](const Program& program) { return build(program, double{}); }};
}

EnergyMaker maker_of(Program& program, const DotEnergy& energy, const LoopMemory& memory,
                     LoopValue query) {
  const Keys keys = Keys::of(program, memory.keys);
  const Numbers bias = Numbers::of(program, energy.bias);
  return maker([=, form = energy.form](const Program& in, auto tag) {
    using T = decltype(tag);
    return kernels::dot_energy<T>(keys.in<T>(in), in.series<T>(query), form, bias.in<T>(in));
  });
}

EnergyMaker maker_of(Program& program, const TanhEnergy& energy, const LoopMemory& memory,
                     LoopValue query) {
  const Keys keys = Keys::of(program, memory.keys);
  const Numbers vector = Numbers::of(program, energy.vector);
  return maker([=](const Program& in, auto tag) {
    using T = decltype(tag);
    return kernels::tanh_energy<T>(keys.in<T>(in), in.series<T>(query), vector.in<T>(in));
  });
}

EnergyMaker maker_of(Program& program, const TraceEnergy& energy, const LoopMemory& memory,
                     LoopValue query) {
  const int64_t inner = energy.vector.size(0), width = energy.filters.size(1);
  const bool rated = memory.keys.size(-1) > inner;
  const Keys keys = Keys::of(program, memory.keys.narrow(-1, 0, inner));
  const Numbers rates = Numbers::of(program, rated ? memory.keys.select(-1, inner) : Tensor());
  const Numbers vector = Numbers::of(program, energy.vector);
  const Numbers filters = Numbers::of(program, energy.filters);
  const Numbers weight = Numbers::of(program, energy.weight);
  return maker([=, numbers = energy.numbers](const Program& in, auto tag) {
    using T = decltype(tag);
    const kernels::SharedNumbers<T> rate = rates.in<T>(in);
    return kernels::trace_energy<T>(keys.in<T>(in), in.series<T>(query), vector.in<T>(in),
                                    {.numbers = in.series<T>(numbers),
                                     .rates = rate.values,
                                     .d_rates = rate.gradients,
                                     .filters = filters.in<T>(in),
                                     .weight = weight.in<T>(in),
                                     .width = width});
  });
}

EnergyMaker maker_of(Program&, const GivenEnergy&, const LoopMemory&, LoopValue query) {
  return maker([=](const Program& in, auto tag) {
    return kernels::given_energy<decltype(tag)>(in.series<decltype(tag)>(query));
  });
}

/// Adds the bias of a view, if there is one.
EnergyMaker biased(Program& program, const EnergyMaker& energy, const LoopView& view,
                   LoopValue query, int64_t heads) {
  if (!view.bias.defined()) return energy;
  const Numbers bias = Numbers::of(program, view.bias);
  return maker([=, position = view.position](const Program& in, auto tag) {
    using T = decltype(tag);
    return kernels::biased_energy<T>(energy.make(in, tag), in.series<T>(query).rows(0), heads,
                                     bias.in<T>(in), position);
  });
}

}  // namespace

void Loop::attend(LoopValue query, const LoopAttention& attention, LoopValue weights,
                  LoopValue context) {
  if (program_->on_device) return attend_on_device(query, attention, weights, context);
  const EnergyMaker plain = std::visit(
      [&](const auto& kind) { return maker_of(*program_, kind, attention.memory, query); },
      attention.energy);
  const EnergyMaker energy = biased(*program_, plain, attention.view, query, weights.parts);
  const MemoryInputs memory = MemoryInputs::of(*program_, attention.memory, weights.parts);
  const kernels::Distribution distribution = attention.distribution;
  const bool keeps = distribution.keeps();
  const LoopValue kept = keeps ? like(weights) : LoopValue{};
  const Numbers mask = add_constant(*program_, attention.mask);
  const Numbers noise = add_constant(*program_, attention.noise);
  program_->add([=, view = attention.view](const Program& in, auto tag) {
    using T = decltype(tag);
    return kernels::attention<T>(memory.in<T>(in), view_in<T>(in, view), energy.make(in, tag),
                                 {.distribution = distribution,
                                  .weights = in.series<T>(weights),
                                  .kept = keeps ? in.series<T>(kept) : kernels::Series<T>{},
                                  .mask = mask.given ? in.data<T>(mask.input) : nullptr,
                                  .context = in.series<T>(context),
                                  .noise = noise.given ? in.data<T>(noise.input) : nullptr});
  });
}

}  // namespace attend::nn::fused
