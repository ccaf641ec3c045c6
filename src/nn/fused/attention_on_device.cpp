#include <functional>

#include "nn/fused/attention_inputs.h"
#include "nn/fused/device/attention.h"

// Loop::attend() for nn/fused/device.
namespace attend::nn::fused {
namespace {

using namespace attention_inputs;
using DevicePointer = device::OperationPointer;

/// Creates the operation of an attention from its other parts, once memory is allocated.
struct DeviceMaker {
  std::function<DevicePointer(const Loop::Program&, const device::AttentionParts<float>&)> of_float;
  std::function<DevicePointer(const Loop::Program&, const device::AttentionParts<double>&)>
      of_double;

  [[nodiscard]] DevicePointer make(const Loop::Program& program,
                                   const device::AttentionParts<float>& parts) const {
    return of_float(program, parts);
  }
  [[nodiscard]] DevicePointer make(const Loop::Program& program,
                                   const device::AttentionParts<double>& parts) const {
    return of_double(program, parts);
  }
};

device::Leaf leaf_of(const Loop::Program& program, const Numbers& numbers) {
  return numbers.given ? program.tensors(numbers.input) : device::Leaf{};
}

DeviceMaker device_maker(Loop::Program& program, const DotEnergy& energy, const LoopMemory& memory,
                         LoopValue query) {
  const Keys keys = Keys::of(program, memory.keys);
  const Numbers bias = Numbers::of(program, energy.bias);
  const auto build = [=, form = energy.form](const Loop::Program& in, const auto& parts) {
    using T = typename std::decay_t<decltype(parts)>::Number;
    return device::dot_attention<T>(in.where(), parts, keys.in<T>(in), in.series<T>(query), form,
                                    leaf_of(in, bias));
  };
  return {build, build};
}

DeviceMaker device_maker(Loop::Program& program, const TanhEnergy& energy, const LoopMemory& memory,
                         LoopValue query) {
  const Keys keys = Keys::of(program, memory.keys);
  const Numbers vector = Numbers::of(program, energy.vector);
  const auto build = [=](const Loop::Program& in, const auto& parts) {
    using T = typename std::decay_t<decltype(parts)>::Number;
    return device::tanh_attention<T>(in.where(), parts, keys.in<T>(in), in.series<T>(query),
                                     leaf_of(in, vector));
  };
  return {build, build};
}

DeviceMaker device_maker(Loop::Program& program, const TraceEnergy& energy,
                         const LoopMemory& memory, LoopValue query) {
  const int64_t inner = energy.vector.size(0), width = energy.filters.size(1);
  const bool rated = memory.keys.size(-1) > inner;
  const Keys keys = Keys::of(program, memory.keys.narrow(-1, 0, inner));
  const Numbers rates =
      Numbers::of(program, rated ? memory.keys.select(-1, inner) : torch::Tensor());
  const Numbers vector = Numbers::of(program, energy.vector);
  const Numbers filters = Numbers::of(program, energy.filters);
  const Numbers weight = Numbers::of(program, energy.weight);
  const auto build = [=, numbers = energy.numbers](const Loop::Program& in, const auto& parts) {
    using T = typename std::decay_t<decltype(parts)>::Number;
    const kernels::SharedNumbers<T> rate = rates.in<T>(in);
    return device::trace_attention<T>(in.where(), parts, keys.in<T>(in), in.series<T>(query),
                                      leaf_of(in, vector),
                                      {.numbers = in.series<T>(numbers),
                                       .rates = rate.values,
                                       .d_rates = rate.gradients,
                                       .filters = leaf_of(in, filters),
                                       .weight = leaf_of(in, weight),
                                       .width = width});
  };
  return {build, build};
}

DeviceMaker device_maker(Loop::Program&, const GivenEnergy&, const LoopMemory&, LoopValue query) {
  const auto build = [=](const Loop::Program& in, const auto& parts) {
    using T = typename std::decay_t<decltype(parts)>::Number;
    return device::given_attention<T>(in.where(), parts, in.series<T>(query));
  };
  return {build, build};
}

}  // namespace

void Loop::attend_on_device(LoopValue query, const LoopAttention& attention, LoopValue weights,
                            LoopValue context) {
  const DeviceMaker maker = std::visit(
      [&](const auto& kind) { return device_maker(*program_, kind, attention.memory, query); },
      attention.energy);
  const Numbers bias = Numbers::of(*program_, attention.view.bias);
  const MemoryInputs memory = MemoryInputs::of(*program_, attention.memory, weights.parts);
  const kernels::Distribution distribution = attention.distribution;
  const bool keeps = distribution.keeps();
  const LoopValue kept = keeps ? like(weights) : LoopValue{};
  const Numbers mask = add_constant(*program_, attention.mask);
  const Numbers noise = add_constant(*program_, attention.noise);
  program_->add([=, view = attention.view](const Program& in, auto tag) {
    using T = decltype(tag);
    const device::AttentionParts<T> parts{
        .memory = memory.in<T>(in),
        .view = view_in<T>(in, view),
        .answer = {.distribution = distribution,
                   .weights = in.series<T>(weights),
                   .kept = keeps ? in.series<T>(kept) : kernels::Series<T>{},
                   .mask = mask.given ? in.data<T>(mask.input) : nullptr,
                   .context = in.series<T>(context),
                   .noise = noise.given ? in.data<T>(noise.input) : nullptr},
        .bias = leaf_of(in, bias),
        .begins = in.begins()};
    return maker.make(in, parts);
  });
}

}  // namespace attend::nn::fused
