#include "nn/fused/gathered_rows.h"

#include <torch/autograd.h>

#include "kernels/device/elements.h"
#include "kernels/layer/rows.h"
#include "nn/execution.h"
#include "nn/for_type_of.h"
#include "nn/fused/device/where.h"
#include "nn/matrix_of.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
void gather_on_device(const kernels::Matrix<const T>& x, const int64_t* rows,
                      const kernels::Matrix<T>& y, const device::Where& where) {
  const kernels::device::GatheredNumber<T> body{x.data, x.stride, rows,
                                                y.data, y.stride, y.columns};
  device::run_numbers("attend::gather_rows", where, body, y.rows * y.columns);
}

void gather(const Tensor& x, const Tensor& index, const Tensor& y, bool on_device) {
  const Tensor from = x.stride(1) == 1 ? x : x.contiguous();
  const auto* const rows = index.data_ptr<int64_t>();
  for_type_of(x, [&](auto zero) {
    using T = decltype(zero);
    const kernels::Matrix<const T> all = matrix_of<const T>(from);
    on_device ? gather_on_device<T>(all, rows, matrix_of<T>(y), device::where(x.options()))
              : kernels::gather_rows(all, rows, matrix_of<T>(y));
  });
}

class GatherRows : public torch::autograd::Function<GatherRows> {
 public:
  struct Part {
    RowMap map;
    int64_t size = 0;  // D
  };
  struct Parts : torch::CustomClassHolder {
    std::vector<Part> all;
    int64_t size = 0;  // D of all
    bool on_device = false;
  };

  static Tensor forward(AutogradContext* context, const torch::TensorList& inputs,
                        const c10::intrusive_ptr<Parts>& parts) {
    context->saved_data["parts"] = c10::IValue::make_capsule(parts);
    const int64_t rows = parts->all.front().map.index.size(0);
    const Tensor result = torch::empty({rows, parts->size}, inputs.front().options());
    int64_t begin = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Part& part = parts->all[i];
      gather(inputs[i], part.map.index, result.narrow(1, begin, part.size), parts->on_device);
      begin += part.size;
    }
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const auto parts =
        c10::static_intrusive_pointer_cast<Parts>(context->saved_data["parts"].toCapsule());
    variable_list gradients;
    int64_t begin = 0;
    for (const Part& part : parts->all) {
      const int64_t rows = part.map.inverse.size(0);
      gradients.push_back(torch::empty({rows, part.size}, arriving[0].options()));
      gather(arriving[0].narrow(1, begin, part.size), part.map.inverse, gradients.back(),
             parts->on_device);
      begin += part.size;
    }
    gradients.emplace_back();  // for `parts`
    return gradients;
  }
};

}  // namespace

Tensor gathered_rows(const std::vector<GatheredRows>& parts) {
  const auto plan = c10::make_intrusive<GatherRows::Parts>();
  plan->on_device = is_on_device(parts.front().x);
  variable_list inputs;
  for (const GatheredRows& part : parts) {
    inputs.push_back(part.x);
    plan->all.push_back({part.map, part.x.size(1)});
    plan->size += part.x.size(1);
  }
  return GatherRows::apply(torch::TensorList(inputs), plan);
}

}  // namespace attend::nn::fused
