#include "nn/attention/mixing.h"

#include <vector>

#include "nn/attention/scope/window.h"
#include "nn/dropout.h"

namespace attend::nn {
namespace {

/// Sums offsets [T, S, C] with weights [N, T, S] -> [N, T, C].
torch::Tensor mixed_offsets(const torch::Tensor& weights, const torch::Tensor& offsets) {
  return at::bmm(weights.transpose(0, 1), offsets).transpose(0, 1);
}

torch::Tensor rows_of_window(const torch::Tensor& x) {
  return x.defined() ? x.flatten(0, 1).unsqueeze(1) : x;
}

/// Sizes [N, T, S] or [N, C, T, S] of the weights over all positions, given the energies of a
/// window, [N * T, 1, W] or [N * T, C, 1, W].
std::vector<int64_t> step_sizes(const torch::Tensor& energies, int64_t steps, int64_t positions) {
  const int64_t rows = energies.size(0) / steps;
  if (energies.dim() == 3) return {rows, steps, positions};
  return {rows, energies.size(1), steps, positions};
}

/// Random numbers for the visible columns of a step. A tensor is undefined if none are needed.
struct RandomInputs {
  torch::Tensor drop_mask;  // for the weights, from nn::dropout_mask()
  torch::Tensor noise;      // for the energies, from the distribution
};

/// Draws the random numbers for weights of `sizes`, in the type of the energies.
RandomInputs draw(const Mixing& how, torch::IntArrayRef sizes, const torch::Tensor& energies) {
  RandomInputs random;
  random.drop_mask = dropout_mask(sizes, how.dropout, /*active=*/true, energies);
  if (how.distribution.draws_noise())
    random.noise = how.distribution.noise(torch::empty(sizes, energies.options()));
  return random;
}

/// Returns the context and weights [N, T, W] for energies of the view's columns.
Attended mix(const AttentionDistribution& distribution, const torch::Tensor& energies,
             const torch::Tensor& values, const View& view, const RandomInputs& random) {
  const bool per_feature = energies.dim() == 4;  // [N, C, T, W]
  const auto fit = [per_feature](const torch::Tensor& x) {
    return per_feature && x.dim() == 3 ? x.unsqueeze(1) : x;
  };
  const torch::Tensor seen = view.bias.defined() ? energies + fit(view.bias) : energies;
  auto [weights, drawn] = distribution.distribute(seen, fit(view.mask), random.noise);
  if (view.factor.defined()) weights = weights * fit(view.factor);
  const torch::Tensor mixed = random.drop_mask.defined() ? weights * random.drop_mask : weights;
  if (!per_feature) {
    const torch::Tensor plain = at::bmm(mixed, values);
    const bool moved = view.offsets.defined();
    return {moved ? plain + mixed_offsets(mixed, view.offsets) : plain, weights, {}, {}, drawn};
  }
  const torch::Tensor features = values.transpose(1, 2).unsqueeze(3);  // [N, C, W, 1]
  const torch::Tensor context =
      at::matmul(mixed, features).squeeze(3).transpose(1, 2);  // [N, T, C]
  return {context, weights.mean(1), {}, {}, drawn};
}

Attended mix_all(const Mixing& how, const torch::Tensor& query, const PreparedMemory& memory,
                 const AttentionState& state, const View& view) {
  const torch::Tensor energies = how.score.energy(query, memory, state);
  return mix(how.distribution, energies, memory.memory.values, view,
             draw(how, energies.sizes(), energies));
}

/// Energies of the positions in `columns`: [N * T, 1, W] or [N * T, C, 1, W].
torch::Tensor window_energies(const AttentionScore& score, const torch::Tensor& query,
                              const PreparedMemory& memory, const AttentionState& state,
                              const torch::Tensor& columns) {
  if (!score.is_pointwise()) {
    return gather_window_energies(score.energy(query, memory, state), columns);
  }
  const PreparedMemory inside{memory.memory, gather_window(memory.keys, columns), {}, {}};
  const AttentionState carried{gather_window(state.previous, columns),
                               gather_window(state.coverage, columns)};
  return score.energy(rows_of_window(query), inside, carried);
}

/// Mixes the positions that the view shows; returns weights [N, T, S].
Attended mix_window(const Mixing& how, const torch::Tensor& query, const PreparedMemory& memory,
                    const AttentionState& state, const View& view) {
  const int64_t rows = query.size(0), steps = query.size(1);
  const int64_t positions = memory.memory.mask.size(1);
  const torch::Tensor& columns = view.positions;  // [N, T, W]
  const torch::Tensor energies = window_energies(how.score, query, memory, state, columns);
  const View own{rows_of_window(view.mask.expand_as(columns)), {}, {}, rows_of_window(view.factor)};
  // Random numbers for all source positions: the window's first column depends on the longest
  // source.
  RandomInputs random = draw(how, step_sizes(energies, steps, positions), energies);
  for (torch::Tensor* const part : {&random.drop_mask, &random.noise})
    if (part->defined()) *part = gather_window_energies(*part, columns);
  Attended attended =
      mix(how.distribution, energies, gather_window(memory.memory.values, columns), own, random);
  const auto by_step = [&](const torch::Tensor& x) {
    return x.defined() ? x.unflatten(0, {rows, steps}).squeeze(2) : x;
  };
  attended.context = by_step(attended.context);
  attended.weights = scatter_window(by_step(attended.weights), columns, positions);
  attended.drawn = {by_step(attended.drawn.log_prob), by_step(attended.drawn.entropy)};
  return attended;
}

}  // namespace

Attended Mixing::attend(const torch::Tensor& query, const PreparedMemory& memory,
                        const AttentionState& state, const View& view) const {
  return view.positions.defined() ? mix_window(*this, query, memory, state, view)
                                  : mix_all(*this, query, memory, state, view);
}

}  // namespace attend::nn
