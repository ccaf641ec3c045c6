#include "nn/fused/step_attention.h"

#include "kernels/step_attention.h"
#include "nn/data_or_null.h"
#include "nn/fused/distance_bias.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;

StepAnswer empty_answer(const StepQuery& asked, int64_t positions) {
  StepAnswer answer{torch::empty_like(asked.query), {}};
  if (asked.weights_wanted) {
    answer.weights =
        torch::empty({asked.query.size(0), asked.heads, positions}, asked.query.options());
  }
  return answer;
}

template <class T>
kernels::StepAttention<T> step_work(const StepQuery& asked, int64_t positions,
                                    const StepAnswer& to) {
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
                 const StepAnswer& to) {
  const auto* const rows = ancestors.data_ptr<int64_t>();
  const std::vector<const T*> keys = pointers_to<T>(history.keys);
  const std::vector<const T*> values = pointers_to<T>(history.values);
  kernels::step_attention(step_work<T>(asked, ancestors.size(1), to),
                          kernels::StepHistory<T>{keys.data(), rows},
                          kernels::StepHistory<T>{values.data(), rows});
}

template <class T>
kernels::HeadRows<const T> step_rows(const Tensor& x) {
  return {x.data_ptr<T>(), x.stride(0), x.stride(1), x.stride(2)};
}

template <class T>
void run_memory(const StepQuery& asked, const StepMemory& memory, const StepAnswer& to) {
  kernels::step_attention(
      step_work<T>(asked, memory.keys.size(2), to),
      kernels::StepMemory<T>{memory.lengths.data_ptr<int64_t>(),
                             data_or_null<int64_t>(memory.owners), step_rows<T>(memory.keys),
                             step_rows<T>(memory.values)});
}

Tensor with_features_in_a_row(const Tensor& x) {
  return x.stride(3) == 1 ? x : x.contiguous();
}

}  // namespace

StepAnswer step_attention(const StepQuery& asked, const StepHistory& history,
                          const Tensor& ancestors) {
  const StepAnswer answer = empty_answer(asked, ancestors.size(1));
  const Tensor rows = ancestors.contiguous();
  asked.query.scalar_type() == torch::kFloat64 ? run_history<double>(asked, history, rows, answer)
                                               : run_history<float>(asked, history, rows, answer);
  return answer;
}

StepAnswer step_attention(const StepQuery& asked, const StepMemory& memory) {
  const StepAnswer answer = empty_answer(asked, memory.keys.size(2));
  const StepMemory dense{with_features_in_a_row(memory.keys), with_features_in_a_row(memory.values),
                         memory.lengths.contiguous(), memory.owners};
  asked.query.scalar_type() == torch::kFloat64 ? run_memory<double>(asked, dense, answer)
                                               : run_memory<float>(asked, dense, answer);
  return answer;
}

}  // namespace attend::nn::fused
