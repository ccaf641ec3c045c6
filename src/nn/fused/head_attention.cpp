#include "nn/fused/head_attention.h"

#include <torch/autograd.h>

#include "kernels/attention/head_attention.h"
#include "nn/data_or_null.h"
#include "nn/for_type_of.h"
#include "nn/fused/distance_bias.h"
#include "nn/fused/head_rows.h"
#include "nn/fused/in_place.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Allocates [N, h, L, d] with the memory layout [N, L, h, d].
Tensor empty_by_position(const Tensor& like) {
  return torch::empty({like.size(0), like.size(2), like.size(1), like.size(3)}, like.options())
      .transpose(1, 2);
}

/// Allocates the gradient of the bias per sentence, if there is a bias.
Tensor empty_by_sentence(const Tensor& bias, int64_t sentences) {
  if (!bias.defined()) return {};
  return torch::empty({sentences, bias.numel()}, bias.options());
}

/// Inputs of the kernel, with contiguous features.
struct HeadInputs {
  Tensor query, keys, values;
  Tensor lengths;  // [N]
  bool causal;
  int64_t position;
  Tensor bias;  // [h, 2 R + 1], [2 R + 1] or undefined
  DropoutMask dropout;
};

template <class T>
kernels::HeadAttention<T> work_of(const HeadInputs& inputs, const Tensor& log_sums) {
  kernels::HeadAttention<T> work;
  work.sentences = inputs.query.size(0);
  work.heads = inputs.query.size(1);
  work.queries = inputs.query.size(2);
  work.positions = inputs.keys.size(2);
  work.key_size = inputs.query.size(3);
  work.value_size = inputs.values.size(3);
  work.lengths = inputs.lengths.data_ptr<int64_t>();
  work.causal = inputs.causal;
  work.first = inputs.position;
  work.bias = distance_bias<T>(inputs.bias);
  work.dropout = inputs.dropout.rule({work.sentences, work.heads, work.queries, work.positions});
  work.query = head_rows<const T>(inputs.query);
  work.keys = head_rows<const T>(inputs.keys);
  work.values = head_rows<const T>(inputs.values);
  work.log_sums = log_sums.data_ptr<T>();
  return work;
}

template <class T>
void forward(const HeadInputs& inputs, const Tensor& log_sums, const HeadAttended& to) {
  kernels::HeadAttention<T> work = work_of<T>(inputs, log_sums);
  work.context = head_rows<T>(to.context);
  work.weights = data_or_null<T>(to.weights);
  kernels::head_attention(work);
}

struct HeadGradients {
  Tensor query, keys, values;
  Tensor bias;  // [N, h (2 R + 1)] or undefined
};

template <class T>
void backward(const HeadInputs& inputs, const Tensor& log_sums, const HeadAttended& arriving,
              const HeadGradients& to) {
  kernels::HeadAttentionGradient<T> work;
  work.forward = work_of<T>(inputs, log_sums);
  work.d_context = head_rows<const T>(arriving.context);
  work.d_weights = data_or_null<T>(arriving.weights);
  work.d_query = head_rows<T>(to.query);
  work.d_keys = head_rows<T>(to.keys);
  work.d_values = head_rows<T>(to.values);
  work.d_bias = data_or_null<T>(to.bias);
  kernels::head_attention_gradient(work);
}

class HeadFunction : public torch::autograd::Function<HeadFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& query, const Tensor& keys,
                               const Tensor& values, const Tensor& lengths, bool causal,
                               int64_t position, const c10::optional<Tensor>& bias,
                               const DropoutMask& dropout, bool weights_wanted) {
    const HeadInputs inputs{.query = with_dense_features(query),
                            .keys = with_dense_features(keys),
                            .values = with_dense_features(values),
                            .lengths = lengths.expand({query.size(0)}).contiguous(),
                            .causal = causal,
                            .position = position,
                            .bias = or_undefined(bias),
                            .dropout = dropout};
    const std::vector<int64_t> rows{query.size(0), query.size(1), query.size(2)};
    const Tensor log_sums = torch::empty(rows, query.options());
    HeadAttended result{
        torch::empty({rows[0], rows[2], rows[1], values.size(3)}, values.options()).transpose(1, 2),
        weights_wanted ? torch::empty({rows[0], rows[1], rows[2], keys.size(2)}, keys.options())
                       : Tensor()};
    for_type_of(query,
                [&](auto zero) { fused::forward<decltype(zero)>(inputs, log_sums, result); });
    save(context, inputs, log_sums);
    variable_list outputs{result.context};
    if (weights_wanted) outputs.push_back(result.weights);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const HeadInputs inputs = restored(context, saved);
    HeadAttended gradient{arriving[0].defined()
                              ? with_dense_features(arriving[0])
                              : torch::zeros(context_sizes(inputs), inputs.query.options()),
                          {}};
    if (arriving.size() > 1 && arriving[1].defined()) gradient.weights = arriving[1].contiguous();
    const HeadGradients to{empty_by_position(inputs.query), empty_by_position(inputs.keys),
                           empty_by_position(inputs.values),
                           empty_by_sentence(inputs.bias, inputs.query.size(0))};
    for_type_of(inputs.query, [&](auto zero) {
      fused::backward<decltype(zero)>(inputs, saved[4], gradient, to);
    });
    variable_list gradients(9);
    gradients[0] = to.query;
    gradients[1] = to.keys;
    gradients[2] = to.values;
    if (to.bias.defined()) gradients[6] = to.bias.sum(0).view_as(inputs.bias);
    return gradients;
  }

 private:
  static void save(AutogradContext* context, const HeadInputs& inputs, const Tensor& log_sums) {
    context->save_for_backward(
        {inputs.query, inputs.keys, inputs.values, inputs.lengths, log_sums, inputs.bias});
    context->saved_data["causal"] = inputs.causal;
    context->saved_data["position"] = inputs.position;
    inputs.dropout.save(*context);
  }

  static HeadInputs restored(AutogradContext* context, const variable_list& saved) {
    return {.query = saved[0],
            .keys = saved[1],
            .values = saved[2],
            .lengths = saved[3],
            .causal = context->saved_data["causal"].toBool(),
            .position = context->saved_data["position"].toInt(),
            .bias = saved[5],
            .dropout = DropoutMask::saved(*context)};
  }

  static std::vector<int64_t> context_sizes(const HeadInputs& inputs) {
    return {inputs.query.size(0), inputs.query.size(1), inputs.query.size(2),
            inputs.values.size(3)};
  }
};

}  // namespace

HeadAttended head_attention(const HeadAttention& attention, bool weights_wanted) {
  const variable_list outputs = HeadFunction::apply(
      attention.query, attention.keys, attention.values, attention.lengths, attention.causal,
      attention.position, given(attention.bias), attention.dropout, weights_wanted);
  return {outputs[0], weights_wanted ? outputs[1] : Tensor()};
}

}  // namespace attend::nn::fused
