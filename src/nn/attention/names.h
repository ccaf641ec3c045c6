#pragma once
// The kinds of attention blocks, without LibTorch. To add a block, add a file pair in score/,
// distribution/ or scope/, a value with its name here, a line in registry.cpp, and a test.
#include <array>

#include "core/named_enum.h"

namespace attend::nn {

/// How a query q is compared with the key k of source position s. w: a learned vector; W, U:
/// learned matrices.
enum class ScoreKind {
  activated_general,
  additive,
  biased_general,
  concat,
  convolution,
  cosine,
  coverage,
  deep,
  dot,
  general,
  kernel,
  location,
  location_aware,
  scaled_dot,
};

constexpr auto name_table(ScoreKind) {
  return std::to_array<NamedValue<ScoreKind>>({
      {ScoreKind::activated_general, "activated_general", "tanh(q^T W k + b) (Ma et al. 2017)"},
      {ScoreKind::additive, "additive", "w^T tanh(W_k k + W_q q + b) (Bahdanau et al. 2015)"},
      {ScoreKind::biased_general, "biased_general", "k^T (W q + b) (Sordoni et al. 2016)"},
      {ScoreKind::concat, "concat", "w^T tanh(W [q; k] + b) (Luong et al. 2015)"},
      {ScoreKind::convolution, "convolution", "additive over a window of `width` keys"},
      {ScoreKind::cosine, "cosine", "beta cos(W q, k), beta learned (Graves et al. 2014)"},
      {ScoreKind::coverage, "coverage",
       "additive, also reads the sum of the weights so far (Tu et al. 2016)"},
      {ScoreKind::deep, "deep", "additive with `layers` tanh layers (Pavlopoulos et al. 2017)"},
      {ScoreKind::dot, "dot", "q^T k, for q and k of equal size (Luong et al. 2015)"},
      {ScoreKind::general, "general", "q^T W k (Luong et al. 2015)"},
      {ScoreKind::kernel, "kernel",
       "log(phi(W_q q)^T phi(W_k k)), phi = elu + 1 (Katharopoulos 2020)"},
      {ScoreKind::location, "location", "(W q)[s], from the query alone (Luong et al. 2015)"},
      {ScoreKind::location_aware, "location_aware",
       "additive, also reads the previous step's weights through filters (Chorowski et al. 2015)"},
      {ScoreKind::scaled_dot, "scaled_dot",
       "q^T k / sqrt(size), for q and k of equal size (Vaswani et al. 2017)"},
  });
}

/// How energies e become weights.
enum class DistributionKind { entmax15, hard, sigmoid, softmax, sparsemax };

constexpr auto name_table(DistributionKind) {
  return std::to_array<NamedValue<DistributionKind>>({
      {DistributionKind::entmax15, "entmax15",
       "1.5-entmax, low energies get exactly 0 (Peters et al. 2019)"},
      {DistributionKind::hard, "hard",
       "one position: drawn in training, the most probable one otherwise (Xu et al. 2015)"},
      {DistributionKind::sigmoid, "sigmoid", "each position independently, between 0 and 1"},
      {DistributionKind::softmax, "softmax",
       "exp(e / temperature), divided by its sum over the positions"},
      {DistributionKind::sparsemax, "sparsemax",
       "nearest distribution to the energies, with exact zeros (Martins & Astudillo 2016)"},
  });
}

/// The source positions that may get weight.
enum class ScopeKind { global, local_m, local_p, position_bias };

constexpr auto name_table(ScopeKind) {
  return std::to_array<NamedValue<ScopeKind>>({
      {ScopeKind::global, "global", "all positions"},
      {ScopeKind::local_m, "local_m",
       "`window` positions to each side of the target position (Luong et al. 2015)"},
      {ScopeKind::local_p, "local_p",
       "`window` positions to each side of a predicted one, less weight far from it (Luong et al. "
       "2015)"},
      {ScopeKind::position_bias, "position_bias",
       "all positions, with a learned bias by distance from the target position"},
  });
}

/// How gradients pass through the random choice of the distribution hard.
enum class Estimator { gumbel, reinforce };

constexpr auto name_table(Estimator) {
  return std::to_array<NamedValue<Estimator>>(
      {{Estimator::gumbel, "gumbel"}, {Estimator::reinforce, "reinforce"}});
}

/// How the positions of a sequence are told apart.
enum class PositionKind { learned, none, relative, rotary, sinusoidal };

constexpr auto name_table(PositionKind) {
  return std::to_array<NamedValue<PositionKind>>({
      {PositionKind::learned, "learned"},
      {PositionKind::none, "none"},
      {PositionKind::relative, "relative"},
      {PositionKind::rotary, "rotary"},
      {PositionKind::sinusoidal, "sinusoidal"},
  });
}

/// How the attention to several sources becomes one context.
enum class Combination { concat, flat, gate, hierarchical };

constexpr auto name_table(Combination) {
  return std::to_array<NamedValue<Combination>>({
      {Combination::concat, "concat"},
      {Combination::flat, "flat"},
      {Combination::gate, "gate"},
      {Combination::hierarchical, "hierarchical"},
  });
}

/// Returns true if the score has a vector w, which `per_feature` makes a matrix.
[[nodiscard]] constexpr bool has_vector(ScoreKind score) {
  return is_one_of(score, {ScoreKind::additive, ScoreKind::concat, ScoreKind::convolution,
                           ScoreKind::coverage, ScoreKind::deep, ScoreKind::location_aware});
}

/// Returns true if the score reads the config key `size`, its inner size.
[[nodiscard]] constexpr bool has_inner_size(ScoreKind score) {
  return has_vector(score) || score == ScoreKind::kernel;
}

}  // namespace attend::nn
