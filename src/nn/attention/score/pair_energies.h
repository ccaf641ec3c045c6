#pragma once
#include <torch/autograd.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace attend::nn {

/// Energies [N, T', S] or [N, C, T', S] of queries [N, T', H], by what else is read: inputs[0] is
/// the queries, the others are the same for all.
using PairEnergies = std::function<torch::Tensor(const torch::autograd::variable_list& inputs)>;

/// Numbers that scores of all pairs of positions are given at a time: 64 MB in float32.
inline constexpr int64_t kMostPairNumbers = int64_t{1} << 24;

/// energies(inputs) for scores that need `size` numbers for each pair of a query and one of
/// `positions` keys, [N, T, S, size]. Where these are more than `most`, the queries come in blocks
/// of fewer, and what a block needs is computed again for the gradient, so that no more than `most`
/// numbers, or those of one query a row, are there at a time. `energies` keeps nothing but
/// `inputs` alive, and what it returns for a query does not depend on the others.
[[nodiscard]] torch::Tensor pair_energies(const PairEnergies& energies,
                                          const torch::autograd::variable_list& inputs,
                                          int64_t positions, int64_t size,
                                          int64_t most = kMostPairNumbers);

}  // namespace attend::nn
