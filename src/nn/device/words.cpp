#include "nn/device/words.h"

#include <torch/autograd.h>

#include "nn/fused/in_place.h"

namespace attend::nn::device {
namespace {

using fused::GradientsInPlace;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class GatheredWords : public torch::autograd::Function<GatheredWords> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& weight, const Tensor& ids,
                        const GradientsInPlace::Pointer& in_place) {
    context->save_for_backward({ids});
    GradientsInPlace::save(context, in_place);
    return weight.index_select(0, ids);
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    Tensor memory = GradientsInPlace::saved(context)->memory_or_none(0);
    memory.index_add_(0, context->get_saved_variables()[0], arriving[0]);
    return variable_list(3);
  }
};

}  // namespace

Tensor gathered_words(const Tensor& weight, const Tensor& ids) {
  std::vector<int64_t> sizes = ids.sizes().vec();
  sizes.push_back(weight.size(1));
  return GatheredWords::apply(weight, ids.flatten(), GradientsInPlace::of({weight})).view(sizes);
}

}  // namespace attend::nn::device
