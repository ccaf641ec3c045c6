#pragma once
// Every attention block by the name that configs use. To add one: a file pair, a line in
// registry.cpp, a test.
#include <memory>
#include <string>
#include <vector>

#include "nn/attention/distribution.h"
#include "nn/attention/options.h"
#include "nn/attention/scope.h"
#include "nn/attention/score.h"

namespace attend::nn {

/// Sizes that a block is built for.
struct ScoreSizes {
  int64_t query = 0;   // H
  int64_t memory = 0;  // C
};

/// Names that the functions below accept, in alphabetical order.
[[nodiscard]] std::vector<std::string> score_names();
[[nodiscard]] std::vector<std::string> distribution_names();
[[nodiscard]] std::vector<std::string> scope_names();

/// Names of the scores that can give a weight per position and feature.
[[nodiscard]] std::vector<std::string> per_feature_score_names();

/// A line "name: meaning" for each name, each with a line break before it.
[[nodiscard]] std::string score_meanings();
[[nodiscard]] std::string distribution_meanings();
[[nodiscard]] std::string scope_meanings();

/// The block that `options` names. Throws std::out_of_range for an unknown name (the schema refuses
/// it before) and ConfigError where the sizes do not suit the score.
[[nodiscard]] std::shared_ptr<AttentionScore> make_score(const AttentionOptions& options,
                                                         ScoreSizes sizes);
[[nodiscard]] std::shared_ptr<AttentionDistribution> make_distribution(
    const AttentionOptions& options);
[[nodiscard]] std::shared_ptr<AttentionScope> make_scope(const AttentionOptions& options,
                                                         ScoreSizes sizes);

}  // namespace attend::nn
