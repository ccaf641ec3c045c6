#include "nn/fused/slot_links.h"

#include <torch/autograd.h>

#include "kernels/cells/slot_links.h"
#include "nn/for_type_of.h"

namespace attend::nn::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// [N, M, M] with each sequence's matrix in one piece, as parts of a larger state have it.
Tensor in_pieces(const Tensor& matrices) {
  const bool dense = matrices.stride(2) == 1 && matrices.stride(1) == matrices.size(2);
  return dense ? matrices : matrices.contiguous();
}

template <class T>
kernels::SlotLinks<T> links_work(const SlotWrite& write, const Tensor& reads) {
  kernels::SlotLinks<T> work;
  work.rows = reads.size(0);
  work.heads = reads.size(1);
  work.slots = reads.size(2);
  work.before = write.before.data_ptr<T>();
  work.before_stride = write.before.stride(0);
  work.writes = write.weights.data_ptr<T>();
  work.precedence = write.precedence.data_ptr<T>();
  work.reads = reads.data_ptr<T>();
  return work;
}

template <class T>
void run_links(const SlotWrite& write, const Tensor& reads, const LinkedSlots& to) {
  kernels::SlotLinks<T> work = links_work<T>(write, reads);
  work.links = to.links.data_ptr<T>();
  work.on = to.on.data_ptr<T>();
  work.back = to.back.data_ptr<T>();
  kernels::slot_links(work);
}

template <class T>
void run_links_gradient(const SlotWrite& write, const Tensor& reads, const LinkedSlots& arriving,
                        const variable_list& to) {
  kernels::SlotLinksGradient<T> work;
  work.forward = links_work<T>(write, reads);
  work.d_links = arriving.links.data_ptr<T>();
  work.d_links_stride = arriving.links.stride(0);
  work.d_on = arriving.on.data_ptr<T>();
  work.d_back = arriving.back.data_ptr<T>();
  work.d_before = to[0].data_ptr<T>();
  work.d_writes = to[1].data_ptr<T>();
  work.d_precedence = to[2].data_ptr<T>();
  work.d_reads = to[3].data_ptr<T>();
  kernels::slot_links_gradient(work);
}

LinkedSlots links_computed(const SlotWrite& write, const Tensor& reads) {
  const auto options = reads.options().requires_grad(false);
  const LinkedSlots to{torch::empty(write.before.sizes(), options),
                       torch::empty(reads.sizes(), options), torch::empty(reads.sizes(), options)};
  for_type_of(reads, [&](auto zero) { run_links<decltype(zero)>(write, reads, to); });
  return to;
}

class SlotLinksFunction : public torch::autograd::Function<SlotLinksFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& before,
                               const Tensor& weights, const Tensor& precedence,
                               const Tensor& reads) {
    context->save_for_backward({before, weights, precedence, reads});
    const LinkedSlots linked = links_computed({before, weights, precedence}, reads);
    return {linked.links, linked.on, linked.back};
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const variable_list saved = context->get_saved_variables();
    const LinkedSlots from{in_pieces(arriving[0]), arriving[1].contiguous(),
                           arriving[2].contiguous()};
    variable_list gradients;
    for (const Tensor& one : saved) {
      gradients.push_back(torch::empty(one.sizes(), one.options().requires_grad(false)));
    }
    const SlotWrite write{saved[0], saved[1], saved[2]};
    for_type_of(saved[3], [&](auto zero) {
      run_links_gradient<decltype(zero)>(write, saved[3], from, gradients);
    });
    return gradients;
  }
};

}  // namespace

LinkedSlots slot_links(const SlotWrite& write, const Tensor& reads) {
  const SlotWrite dense{in_pieces(write.before), write.weights.contiguous(),
                        write.precedence.contiguous()};
  const Tensor dense_reads = reads.contiguous();
  if (!torch::GradMode::is_enabled()) return links_computed(dense, dense_reads);
  const variable_list results =
      SlotLinksFunction::apply(dense.before, dense.weights, dense.precedence, dense_reads);
  return {results[0], results[1], results[2]};
}

}  // namespace attend::nn::fused
