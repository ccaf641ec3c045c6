#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>

#include "nn/attention/distribution.h"
#include "nn/attention/memory.h"
#include "nn/attention/options.h"
#include "nn/attention/scope.h"
#include "nn/attention/score.h"

namespace attend::nn {

/// What an attention carries from one target position to the next. A value: beam search selects its
/// rows.
struct AttentionState {
  torch::Tensor
      previous;  // [N, S] weights of the previous step; undefined unless the score reads them
  torch::Tensor coverage;  // [N, S] sum of the weights so far; undefined unless the score reads it

  [[nodiscard]] AttentionState select(const torch::Tensor& rows) const;
};

/// The answer to a query.
struct Attended {
  torch::Tensor context;  // [N, T, C] weighted sum of the values
  torch::Tensor weights;  // [N, T, S] before attention dropout; exactly 0 on padding
  torch::Tensor heads;    // [N, heads, T, S]; undefined unless there are several
  AttentionState state;   // for the next target position
};

/// A score, a distribution and a scope put together:
///   weights = distribution(scope(score(query, keys))),  context = sum_s weights[s] values[s]
/// (the three axes of Galassi, Lippi & Torroni 2021, arXiv 1902.02181, Sec. 3, with our scope).
class Attention : public torch::nn::Module {
 public:
  Attention(const AttentionOptions& options, int64_t query_size, int64_t memory_size);

  /// Computes once per sentence whatever the score needs of the keys.
  [[nodiscard]] PreparedMemory prepare(const Memory& memory) const;

  /// State before the first target position.
  [[nodiscard]] AttentionState start(const PreparedMemory& memory) const;

  /// query [N, T, H]. `position` is the target position of the first query. Several queries at once
  /// (T > 1) are allowed unless needs_steps(). `dropout` is the probability of zeroing a weight
  /// while the module is training.
  [[nodiscard]] Attended attend(const torch::Tensor& query, const PreparedMemory& memory,
                                const AttentionState& state, int64_t position,
                                double dropout) const;

  /// Whether a query's answer depends on the answers before it, so that T must be 1.
  [[nodiscard]] bool needs_steps() const;

  /// Size of the context.
  [[nodiscard]] int64_t context_size() const { return memory_size_; }

 private:
  int64_t memory_size_;
  std::shared_ptr<AttentionScore> score_;
  std::shared_ptr<AttentionDistribution> distribution_;
  std::shared_ptr<AttentionScope> scope_;
};

}  // namespace attend::nn
