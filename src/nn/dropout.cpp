#include "nn/dropout.h"

#include <torch/autograd.h>

#include "kernels/layer/dropout.h"
#include "nn/data_or_null.h"
#include "nn/for_type_of.h"

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// y = x times the mask, or the mask itself if `x` is undefined.
template <class T>
void drop(const Tensor& x, const Tensor& y, const DropoutMask& mask) {
  kernels::Dropout<T> work;
  work.size = y.size(-1);
  work.rows = work.size == 0 ? 0 : y.numel() / work.size;
  work.x = data_or_null<T>(x);
  work.y = y.data_ptr<T>();
  work.rule = mask.rule(y.sizes());
  kernels::dropout(work);
}

Tensor dropped(const Tensor& x, const DropoutMask& mask) {
  const Tensor dense = x.contiguous(), y = torch::empty_like(dense);
  for_type_of(dense, [&](auto zero) { drop<decltype(zero)>(dense, y, mask); });
  return y;
}

/// Dropout that recomputes its mask in the backward pass.
class CountedDropout : public torch::autograd::Function<CountedDropout> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const DropoutMask& mask) {
    mask.save(*context);
    return dropped(x, mask);
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    return {dropped(arriving[0], DropoutMask::saved(*context)), Tensor()};
  }
};

}  // namespace

DropoutMask DropoutMask::drawn(double probability, bool active) {
  if (!active || probability <= 0.0) return {};
  return {probability, Draw::next()};
}

kernels::MaskRule DropoutMask::rule(torch::IntArrayRef sizes) const {
  if (probability <= 0.0) return {};
  return {draw.seed, probability, draw.rows_of(sizes)};
}

void DropoutMask::save(AutogradContext& context) const {
  context.saved_data["dropout"] = probability;
  context.saved_data["seed"] = static_cast<int64_t>(draw.seed);
  context.saved_data["first_step"] = draw.position;
  context.saved_data["lines"] = draw.lines.names;
  context.saved_data["line_count"] = draw.lines.count;
}

DropoutMask DropoutMask::saved(AutogradContext& context) {
  return {context.saved_data["dropout"].toDouble(),
          {static_cast<uint64_t>(context.saved_data["seed"].toInt()),
           context.saved_data["first_step"].toInt(),
           {context.saved_data["lines"].toTensor(), context.saved_data["line_count"].toInt()}}};
}

bool counts_out_masks(const torch::Tensor& like) {
  return like.device().is_cpu() &&
         (like.scalar_type() == torch::kFloat32 || like.scalar_type() == torch::kFloat64);
}

torch::Tensor dropout(const torch::Tensor& x, double probability, bool active) {
  if (!active || probability <= 0.0) return x;
  if (counts_out_masks(x)) return dropout(x, DropoutMask::drawn(probability));
  if (!x.device().is_cpu()) return at::dropout(x, probability, /*train=*/true);
  return x * dropout_mask(x.sizes(), probability, active, x);
}

torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask) {
  return mask.probability <= 0.0 ? x : CountedDropout::apply(x, mask);
}

torch::Tensor dropout_mask(torch::IntArrayRef sizes, double probability, bool active,
                           const torch::Tensor& like) {
  if (!active || probability <= 0.0) return {};
  if (!like.device().is_cpu())
    return at::dropout(torch::ones(sizes, like.options()), probability, /*train=*/true);
  const bool is_double = like.scalar_type() == torch::kFloat64;
  const Tensor mask = torch::empty(sizes, is_double ? torch::kFloat64 : torch::kFloat32);
  const DropoutMask drawn = DropoutMask::drawn(probability);
  for_type_of(mask, [&](auto zero) { drop<decltype(zero)>({}, mask, drawn); });
  return mask.to(like.scalar_type());
}

}  // namespace attend::nn
