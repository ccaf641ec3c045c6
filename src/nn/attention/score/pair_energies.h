#pragma once
#include <torch/autograd.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace attend::nn {

/// Computes energies [N, T', S] or [N, C, T', S]. inputs[0] are the queries [N, T', H]; the other
/// inputs are the same for all queries.
using PairEnergies = std::function<torch::Tensor(const torch::autograd::variable_list& inputs)>;

/// Default limit on the numbers stored for pairs of positions: 64 MB in float32.
inline constexpr int64_t kMostPairNumbers = int64_t{1} << 24;

/// Returns energies(inputs), for a score that computes `size` numbers for each pair of a query and
/// one of `positions` keys: [N, T, S, size]. If there are more than `most` such numbers, the
/// queries are processed in blocks. A block has at most `most` numbers, or one query per row if
/// that is more. The backward pass recomputes each block. `energies` must keep no tensors alive
/// except `inputs`, and its result for a query must not depend on the other queries.
[[nodiscard]] torch::Tensor pair_energies(const PairEnergies& energies,
                                          const torch::autograd::variable_list& inputs,
                                          int64_t positions, int64_t size,
                                          int64_t most = kMostPairNumbers);

}  // namespace attend::nn
