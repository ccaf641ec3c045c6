#pragma once
#include <cstdint>

#include "config/schema.h"
#include "nn/attention/names.h"

namespace attend::nn {

/// Lower limit of the learned fertilities of `coverage`.
inline constexpr double kSmallestFertility = 1e-3;

/// The config section `model.attention`. The comment of a field names the blocks that read it.
struct AttentionOptions {
  ScoreKind score = ScoreKind::additive;
  DistributionKind distribution = DistributionKind::softmax;
  ScopeKind scope = ScopeKind::global;
  int64_t heads = 1;
  bool per_feature = false;  // one weight per position and feature

  int64_t size = 0;               // inner size A of scores and local_p; 0: the query's size
  bool normalized = false;        // additive: g w / ||w|| instead of w
  bool learned_scale = false;     // scaled_dot: a learned factor instead of 1 / sqrt(C)
  int64_t max_source_length = 0;  // location: number of positions it can see; 0: not set
  int64_t layers = 2;             // deep: tanh layers L
  int64_t width = 3;              // convolution, location_aware: filter width in positions
  int64_t filters = 8;            // location_aware
  double fertility = 0.0;  // coverage: largest fertility of a source word; 0: learn no fertility

  double temperature = 1.0;                    // softmax, hard: divides the energies
  bool sum_to_one = false;                     // sigmoid: weights are divided by their sum
  Estimator estimator = Estimator::reinforce;  // hard
  double reward_weight = 1.0;                  // hard, reinforce: weight of the reward's gradient
  double entropy_bonus = 0.002;                // hard, reinforce: weight of the entropy's gradient
  bool baseline = true;         // hard, reinforce: subtract a moving average from the reward
  double baseline_decay = 0.9;  // share of the old average that an update keeps

  int64_t window = 10;        // local_m, local_p: positions to each side of the centre, D
  int64_t max_distance = 32;  // position_bias: distances beyond share the outermost bias
};

/// Returns true if the score or the scope has an inner size.
[[nodiscard]] bool reads_size(const AttentionOptions& options);

void describe(config::Schema<AttentionOptions>& schema);

}  // namespace attend::nn
