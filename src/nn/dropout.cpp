#include "nn/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/autograd.h>

#include <mutex>

#include "kernels/dropout.h"
#include "nn/data_or_null.h"

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// `x` undefined: a mask as `y` is.
template <class T>
void drop(const Tensor& x, const Tensor& y, const DropoutMask& mask) {
  kernels::Dropout<T> work;
  work.count = y.numel();
  work.x = data_or_null<T>(x);
  work.y = y.data_ptr<T>();
  work.seed = mask.seed;
  work.probability = mask.probability;
  kernels::dropout(work);
}

Tensor dropped(const Tensor& x, const DropoutMask& mask) {
  const Tensor dense = x.contiguous(), y = torch::empty_like(dense);
  dense.scalar_type() == torch::kFloat64 ? drop<double>(dense, y, mask)
                                         : drop<float>(dense, y, mask);
  return y;
}

/// Draws its mask again for the gradient.
class CountedDropout : public torch::autograd::Function<CountedDropout> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, int64_t seed,
                        double probability) {
    context->saved_data["seed"] = seed;
    context->saved_data["probability"] = probability;
    return dropped(x, {static_cast<uint64_t>(seed), probability});
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const DropoutMask mask{static_cast<uint64_t>(context->saved_data["seed"].toInt()),
                           context->saved_data["probability"].toDouble()};
    return {dropped(arriving[0], mask), Tensor(), Tensor()};
  }
};

}  // namespace

DropoutMask DropoutMask::draw(double probability, bool active) {
  if (!active || probability <= 0.0) return {};
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return {at::check_generator<at::CPUGeneratorImpl>(generator)->random64(), probability};
}

bool counts_out_masks(const torch::Tensor& like) {
  return like.device().is_cpu() &&
         (like.scalar_type() == torch::kFloat32 || like.scalar_type() == torch::kFloat64);
}

torch::Tensor dropout(const torch::Tensor& x, double probability, bool active) {
  if (!active || probability <= 0.0) return x;
  if (!counts_out_masks(x)) return at::dropout(x, probability, /*train=*/true);
  return dropout(x, DropoutMask::draw(probability));
}

torch::Tensor dropout(const torch::Tensor& x, const DropoutMask& mask) {
  if (mask.probability <= 0.0) return x;
  return CountedDropout::apply(x, static_cast<int64_t>(mask.seed), mask.probability);
}

torch::Tensor dropout_mask(int64_t rows, int64_t size, double probability, bool active,
                           const torch::Tensor& like) {
  if (!active || probability <= 0.0) return {};
  if (!counts_out_masks(like)) {
    return at::dropout(torch::ones({rows, size}, like.options()), probability, /*train=*/true);
  }
  const Tensor mask = torch::empty({rows, size}, like.options());
  const DropoutMask drawn = DropoutMask::draw(probability);
  mask.scalar_type() == torch::kFloat64 ? drop<double>({}, mask, drawn)
                                        : drop<float>({}, mask, drawn);
  return mask;
}

}  // namespace attend::nn
