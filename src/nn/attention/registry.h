#pragma once
// Every attention block by the name that configs use. To add one: a file pair, a line in
// registry.cpp, a test.
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

/// The block that `options` names. Throws std::out_of_range for an unknown name (the schema refuses
/// it before) and ConfigError where the sizes do not suit the score.
[[nodiscard]] std::shared_ptr<AttentionScore> make_score(const AttentionOptions& options,
                                                         ScoreSizes sizes);
[[nodiscard]] std::shared_ptr<AttentionDistribution> make_distribution(
    const AttentionOptions& options);
[[nodiscard]] std::shared_ptr<AttentionScope> make_scope(const AttentionOptions& options,
                                                         ScoreSizes sizes);

}  // namespace attend::nn
