#include "nn/fused/step_attention.h"

#include "kernels/attention/step_attention.h"
#include "nn/data_or_null.h"
#include "nn/for_type_of.h"
#include "nn/fused/distance_bias.h"
#include "nn/fused/head_rows.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;

StepOutput empty_output(const StepQuery& asked, int64_t positions) {
  StepOutput output{torch::empty_like(asked.query), {}};
  if (asked.weights_wanted) {
    output.weights =
        torch::empty({asked.query.size(0), asked.heads, positions}, asked.query.options());
  }
  return output;
}

template <class T>
kernels::StepAttention<T> step_work(const StepQuery& asked, int64_t positions,
                                    const StepOutput& to) {
  kernels::StepAttention<T> work;
  work.rows = asked.query.size(0);
  work.heads = asked.heads;
  work.size = asked.query.size(1) / asked.heads;
  work.positions = positions;
  work.own = asked.position;
  work.bias = distance_bias<T>(asked.bias);
  work.query = asked.query.data_ptr<T>();
  work.context = to.context.data_ptr<T>();
  work.weights = data_or_null<T>(to.weights);
  return work;
}

template <class T>
std::vector<const T*> pointers_to(const std::vector<Tensor>& steps) {
  std::vector<const T*> pointers;
  pointers.reserve(steps.size());
  for (const Tensor& step : steps) pointers.push_back(step.data_ptr<T>());
  return pointers;
}

template <class T>
void run_history(const StepQuery& asked, const StepHistory& history, const Tensor& ancestors,
                 const StepOutput& to) {
  const auto* const rows = ancestors.data_ptr<int64_t>();
  const std::vector<const T*> keys = pointers_to<T>(history.keys);
  const std::vector<const T*> values = pointers_to<T>(history.values);
  kernels::step_attention(step_work<T>(asked, ancestors.size(1), to),
                          kernels::StepHistory<T>{keys.data(), rows},
                          kernels::StepHistory<T>{values.data(), rows});
}

template <class T>
void run_memory(const StepQuery& asked, const StepMemory& memory, const StepOutput& to) {
  kernels::step_attention(
      step_work<T>(asked, memory.keys.size(2), to),
      kernels::StepMemory<T>{memory.lengths.data_ptr<int64_t>(),
                             data_or_null<int64_t>(memory.owners), head_rows<const T>(memory.keys),
                             head_rows<const T>(memory.values)});
}

}  // namespace

StepOutput step_attention(const StepQuery& asked, const StepHistory& history,
                          const Tensor& ancestors) {
  const StepOutput output = empty_output(asked, ancestors.size(1));
  const Tensor rows = ancestors.contiguous();
  for_type_of(asked.query,
              [&](auto zero) { run_history<decltype(zero)>(asked, history, rows, output); });
  return output;
}

StepOutput step_attention(const StepQuery& asked, const StepMemory& memory) {
  const StepOutput output = empty_output(asked, memory.keys.size(2));
  const StepMemory dense{with_dense_features(memory.keys), with_dense_features(memory.values),
                         memory.lengths.contiguous(), memory.owners};
  for_type_of(asked.query, [&](auto zero) { run_memory<decltype(zero)>(asked, dense, output); });
  return output;
}

}  // namespace attend::nn::fused
