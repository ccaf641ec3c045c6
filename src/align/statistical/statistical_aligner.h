#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "align/attention_matrix.h"
#include "align/statistical/gibbs_sampler.h"

namespace attend::align {

/// The number of sweeps over the corpus in each stage, and of draws per average of weights.
struct SamplingPlan {
  int64_t model1 = 0;
  int64_t hmm = 0;
  int64_t fertility = 0;
  int64_t averaged = 4;

  [[nodiscard]] int64_t sweeps() const { return model1 + hmm + fertility; }
};

/// The plan of Östling & Tiedemann (2016) for `pairs` sentence pairs: 5000 / sqrt(pairs) sweeps in
/// the last stage, and a quarter of that in each of the first two. At least 2 sweeps in each stage.
[[nodiscard]] SamplingPlan sampling_plan(std::size_t pairs);

/// The weights of a pair's links in both directions, each the mean over samplers and draws of the
/// probability that a word is linked to each word of the other side. The last column of each table
/// is the probability of no link.
struct SampledWeights {
  WeightTable forward;  ///< [target, source + 1]
  WeightTable reverse;  ///< [source, target + 1]
};

struct StatisticalOptions {
  AlignmentPriors priors;
  SamplingPlan plan;
  int64_t samplers = 1;  ///< independent samplers per direction and reading, at least 1
  uint64_t seed = 1;
  /// Calls task(0) to task(count - 1) in any order, perhaps in parallel. Must be set.
  std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)> run;
  /// Called after each sweep of a sampler; several threads may call it. It may throw to stop.
  std::function<void()> swept = [] {};
};

/// Aligns sentence pairs without a translation model, by several Gibbs samplers in both directions.
/// The result depends on all options except `run`. Every sampler is one task of `run`, so more
/// threads than samplers() do not help.
class StatisticalAligner {
 public:
  /// `readings` are the same pairs with their words numbered in different ways, such as whole words
  /// and words cut to stems. Requires: at least one reading.
  StatisticalAligner(std::vector<NumberedCorpus> readings, StatisticalOptions options);

  [[nodiscard]] std::size_t samplers() const { return samplers_.size(); }

  /// Runs all stages. Throws what StatisticalOptions::swept throws.
  void train();

  /// The weights of the pairs from `first` to `first + count - 1`. Memory grows with the product of
  /// their lengths times samplers(). Draws new links for these pairs, so ask for each pair once.
  [[nodiscard]] std::vector<SampledWeights> weights(std::size_t first, std::size_t count);

 private:
  /// A sampler of one direction of one reading.
  struct Chain {
    const NumberedCorpus* corpus;
    bool reverse;
    std::unique_ptr<GibbsSampler> sampler;
  };

  void add_chains(const NumberedCorpus& corpus, bool reverse);
  void train(GibbsSampler& sampler) const;
  [[nodiscard]] std::vector<WeightTable> draw(const Chain& chain, std::size_t first,
                                              std::size_t count) const;

  StatisticalOptions options_;
  std::vector<NumberedCorpus> forward_;
  std::vector<NumberedCorpus> reverse_;
  std::vector<Chain> samplers_;
};

}  // namespace attend::align
