#pragma once
#include <torch/types.h>

#include "nn/attention/registry.h"

namespace attend::test {

/// One sentence whose keys [S, C] are `keys`; there is no padding, and values are the keys.
[[nodiscard]] nn::Memory memory_of(const torch::Tensor& keys);

/// Energies [T, S] of the queries [T, H] over the keys [S, C].
[[nodiscard]] torch::Tensor energies(const nn::AttentionScore& score, const torch::Tensor& queries,
                                     const torch::Tensor& keys);

/// A score in float64 with unset parameters; sets `options.score` to `kind`.
[[nodiscard]] std::shared_ptr<nn::AttentionScore> score_f64(nn::ScoreKind kind,
                                                            nn::ScoreSizes sizes,
                                                            nn::AttentionOptions options = {});

}  // namespace attend::test
