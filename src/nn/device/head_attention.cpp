#include "nn/device/head_attention.h"

#include <torch/types.h>
#include <torch/version.h>

#include <limits>

#include "nn/execution.h"

#define ATTEND_HAS_WHOLE_ATTENTION \
  (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1))

namespace attend::nn::device {
namespace {

using fused::HeadAttended;
using fused::HeadAttention;
using torch::Tensor;

/// True if every query sees exactly the positions up to its own.
[[maybe_unused]] bool is_triangular(const HeadAttention& attention) {
  return !attention.bias.defined() && attention.causal && attention.position == 0 &&
         attention.lengths.numel() == 1 && attention.query.size(2) == attention.keys.size(2);
}

/// Positions that a query sees: bool, broadcast to [N, h, T, S]; undefined: all.
Tensor visible(const HeadAttention& attention) {
  const int64_t queries = attention.query.size(2), positions = attention.keys.size(2);
  const auto options = attention.lengths.options();
  Tensor mask;
  if (attention.lengths.numel() > 1) {
    mask = torch::arange(positions, options) < attention.lengths.view({-1, 1, 1, 1});
  }
  if (!attention.causal || attention.position + 1 >= positions) return mask;
  const Tensor first = torch::arange(queries, options).unsqueeze(1) + attention.position;
  const Tensor earlier = torch::arange(positions, options) <= first;  // [T, S]
  return mask.defined() ? mask.logical_and(earlier) : earlier;
}

/// The bias of each energy by its distance, [1, h or 1, T, S]; undefined without a bias.
Tensor spread_bias(const HeadAttention& attention) {
  if (!attention.bias.defined()) return {};
  const int64_t queries = attention.query.size(2), positions = attention.keys.size(2);
  const int64_t reach = attention.bias.size(-1) / 2;
  const auto options = attention.lengths.options();
  const Tensor place = torch::arange(queries, options).unsqueeze(1) + attention.position;
  const Tensor distance = (torch::arange(positions, options) - place).clamp(-reach, reach) + reach;
  return attention.bias.index_select(-1, distance.flatten()).view({1, -1, queries, positions});
}

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Computes energies, weights and context in separate steps.
HeadAttended by_steps(const HeadAttention& given) {
  HeadAttention attention = given;
  for (Tensor* const x : {&attention.query, &attention.keys, &attention.values})
    if (x->scalar_type() == torch::kBFloat16) *x = x->to(torch::kFloat32);
  Tensor energies = at::matmul(attention.query, attention.keys.transpose(2, 3));
  if (const Tensor bias = spread_bias(attention); bias.defined()) energies = energies + bias;
  if (const Tensor mask = visible(attention); mask.defined())
    energies = energies.masked_fill(mask.logical_not(), kNever);
  const Tensor weights = energies.softmax(-1);
  Tensor used = weights;
  if (attention.dropout.probability > 0.0) {
    used = counts_out_masks(weights) ? dropout(weights, attention.dropout)
                                     : at::dropout(weights, attention.dropout.probability, true);
  }
  return {at::matmul(used, attention.values), weights};
}

#if ATTEND_HAS_WHOLE_ATTENTION
bool is_bf16(const HeadAttention& attention) {
  return uses_bf16(attention.query) || attention.query.scalar_type() == torch::kBFloat16;
}

/// Calls scaled_dot_product_attention, in bf16 if is_bf16().
Tensor whole(const HeadAttention& attention) {
  const bool bf16 = is_bf16(attention);
  const auto operand = [bf16](const Tensor& x) { return bf16 ? x.to(torch::kBFloat16) : x; };
  const bool triangular = is_triangular(attention);
  Tensor mask = triangular ? Tensor() : visible(attention);
  if (Tensor bias = spread_bias(attention); bias.defined())
    mask = operand(mask.defined() ? bias.masked_fill(mask.logical_not(), kNever) : bias);
  return at::scaled_dot_product_attention(operand(attention.query), operand(attention.keys),
                                          operand(attention.values),
                                          mask.defined() ? c10::make_optional(mask) : c10::nullopt,
                                          attention.dropout.probability, triangular, /*scale=*/1.0);
}
#endif

}  // namespace

HeadAttended head_attention(const HeadAttention& attention, bool weights_wanted) {
#if ATTEND_HAS_WHOLE_ATTENTION
  const bool own_mask = attention.dropout.probability > 0.0 && attention.query.is_cpu();
  if (!weights_wanted && !own_mask) return {whole(attention), {}};
#endif
  HeadAttended attended = by_steps(attention);
  if (!weights_wanted) attended.weights = Tensor();
  return attended;
}

}  // namespace attend::nn::device
