#pragma once
// Makes the attention blocks that options name. names.h says how to add one.
#include <memory>

#include "nn/attention/distribution/distribution.h"
#include "nn/attention/names.h"
#include "nn/attention/options.h"
#include "nn/attention/scope/scope.h"
#include "nn/attention/score/score.h"

namespace attend::nn {

/// Sizes that a block is built for.
struct ScoreSizes {
  int64_t query = 0;   // H
  int64_t memory = 0;  // C
};

/// Makes the block that `options` name. Throws ConfigError if the sizes do not suit the score.
[[nodiscard]] std::shared_ptr<AttentionScore> make_score(const AttentionOptions& options,
                                                         ScoreSizes sizes);
[[nodiscard]] std::shared_ptr<AttentionDistribution> make_distribution(
    const AttentionOptions& options);
[[nodiscard]] std::shared_ptr<AttentionScope> make_scope(const AttentionOptions& options,
                                                         ScoreSizes sizes);

}  // namespace attend::nn
