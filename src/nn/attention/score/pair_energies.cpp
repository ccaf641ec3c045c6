#include "nn/attention/score/pair_energies.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace attend::nn {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kOfQueries = 1, kOfEnergies = -2;  // the dimension of T

/// The energies function and the number of queries in a block.
struct PairBlocks : torch::CustomClassHolder {
  PairBlocks(PairEnergies the_energies, int64_t the_steps)
      : energies(std::move(the_energies)), steps(the_steps) {}
  PairEnergies energies;
  int64_t steps;

  /// Calls work(first, count) for each block of `all` queries.
  template <class Work>
  void each(int64_t all, const Work& work) const {
    for (int64_t first = 0; first < all; first += steps) work(first, std::min(steps, all - first));
  }

  [[nodiscard]] Tensor block(const variable_list& inputs, int64_t first, int64_t count) const {
    variable_list some = inputs;
    some[0] = inputs[0].narrow(kOfQueries, first, count);
    return energies(some);
  }

  [[nodiscard]] Tensor all(const variable_list& inputs) const {
    std::vector<Tensor> blocks;
    each(inputs[0].size(kOfQueries),
         [&](int64_t first, int64_t count) { blocks.push_back(block(inputs, first, count)); });
    return at::cat(blocks, kOfEnergies);
  }
};

/// Copies of `inputs` as leaves of the autograd graph, so that the gradients of a block stop there.
variable_list detached_leaves(const variable_list& inputs) {
  variable_list leaves;
  for (const Tensor& input : inputs)
    leaves.push_back(input.detach().requires_grad_(input.requires_grad()));
  return leaves;
}

variable_list wanted_of(const variable_list& leaves) {
  variable_list wanted;
  std::copy_if(leaves.begin(), leaves.end(), std::back_inserter(wanted),
               [](const Tensor& leaf) { return leaf.requires_grad(); });
  return wanted;
}

/// Gradients of shared inputs are summed over blocks. Each query belongs to one block, which alone
/// computes its gradient.
variable_list gradients_of(const PairBlocks& blocks, const variable_list& inputs,
                           const Tensor& arriving) {
  const variable_list leaves = detached_leaves(inputs), wanted = wanted_of(leaves);
  variable_list found(wanted.size());
  blocks.each(inputs[0].size(kOfQueries), [&](int64_t first, int64_t count) {
    const torch::AutoGradMode recording(true);
    const Tensor energies = blocks.block(leaves, first, count);
    const variable_list here =
        torch::autograd::grad({energies}, wanted, {arriving.narrow(kOfEnergies, first, count)});
    for (std::size_t i = 0; i < here.size(); ++i)
      found[i] = found[i].defined() ? found[i] + here[i] : here[i];
  });
  variable_list all;
  auto next = found.begin();
  for (const Tensor& leaf : leaves) all.push_back(leaf.requires_grad() ? *next++ : Tensor());
  return all;
}

class BlockedEnergies : public torch::autograd::Function<BlockedEnergies> {
 public:
  static Tensor forward(AutogradContext* context, const torch::TensorList& inputs,
                        const c10::intrusive_ptr<PairBlocks>& blocks) {
    context->save_for_backward(inputs.vec());
    context->saved_data["blocks"] = c10::IValue::make_capsule(blocks);
    return blocks->all(inputs.vec());
  }

  static variable_list backward(AutogradContext* context, const variable_list& arriving) {
    const auto blocks =
        c10::static_intrusive_pointer_cast<PairBlocks>(context->saved_data["blocks"].toCapsule());
    variable_list gradients = gradients_of(*blocks, context->get_saved_variables(), arriving[0]);
    gradients.emplace_back();  // of `blocks`
    return gradients;
  }
};

}  // namespace

Tensor pair_energies(const PairEnergies& energies, const variable_list& inputs, int64_t positions,
                     int64_t size, int64_t most) {
  const int64_t rows = inputs[0].size(0), queries = inputs[0].size(kOfQueries);
  const int64_t of_query = std::max<int64_t>(1, rows * positions * size);
  const int64_t steps = std::max<int64_t>(1, most / of_query);
  if (steps >= queries) return energies(inputs);
  return BlockedEnergies::apply(torch::TensorList(inputs),
                                c10::make_intrusive<PairBlocks>(energies, steps));
}

}  // namespace attend::nn
