#include "align/statistical/statistical_aligner.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attend::align {
namespace {

NumberedCorpus swapped(const NumberedCorpus& corpus) {
  NumberedCorpus result{{}, corpus.targets, corpus.sources};
  for (const LinkCount& known : corpus.known)
    result.known.push_back({known.target, known.source, known.count});
  result.pairs.reserve(corpus.pairs.size());
  for (const NumberedPair& pair : corpus.pairs) result.pairs.push_back({pair.target, pair.source});
  return result;
}

void add_share(const WeightTable& table, float share, WeightTable& sum) {
  if (sum.rows() != table.rows()) sum = WeightTable(table.rows(), table.columns());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < table.columns(); ++column)
      sum(row, column) += table(row, column) * share;
  }
}

}  // namespace

SamplingPlan sampling_plan(std::size_t pairs) {
  const double sweeps = 5000.0 / std::sqrt(static_cast<double>(std::max<std::size_t>(pairs, 1)));
  const auto at_least_two = [](double count) { return std::max<int64_t>(2, std::llround(count)); };
  return {.model1 = at_least_two(sweeps / 4),
          .hmm = at_least_two(sweeps / 4),
          .fertility = at_least_two(sweeps)};
}

StatisticalAligner::StatisticalAligner(std::vector<NumberedCorpus> readings,
                                       StatisticalOptions options)
    : options_(std::move(options)), forward_(std::move(readings)) {
  for (const NumberedCorpus& corpus : forward_) reverse_.push_back(swapped(corpus));
  for (const NumberedCorpus& corpus : forward_) add_chains(corpus, false);
  for (const NumberedCorpus& corpus : reverse_) add_chains(corpus, true);
}

void StatisticalAligner::add_chains(const NumberedCorpus& corpus, bool reverse) {
  for (int64_t i = 0; i < options_.samplers; ++i) {
    const uint64_t seed = stream_seed(options_.seed, "alignment sampler", samplers_.size());
    samplers_.push_back(
        {&corpus, reverse, std::make_unique<GibbsSampler>(corpus, options_.priors, seed)});
  }
}

void StatisticalAligner::train() {
  options_.run(samplers_.size(), [this](std::size_t i) { train(*samplers_[i].sampler); });
}

void StatisticalAligner::train(GibbsSampler& sampler) const {
  const auto run = [&](AlignmentStage stage, int64_t sweeps) {
    sampler.begin(stage);
    for (int64_t i = 0; i < sweeps; ++i) {
      sampler.sweep();
      options_.swept();
    }
  };
  run(AlignmentStage::kModel1, options_.plan.model1);
  run(AlignmentStage::kHmm, options_.plan.hmm);
  run(AlignmentStage::kFertility, options_.plan.fertility);
}

std::vector<WeightTable> StatisticalAligner::draw(const Chain& chain, std::size_t first,
                                                  std::size_t count) const {
  std::vector<WeightTable> sums;
  for (std::size_t p = first; p < first + count; ++p) {
    const NumberedPair& pair = chain.corpus->pairs[p];
    WeightTable& sum = sums.emplace_back(pair.target.size(), pair.source.size() + 1);
    for (int64_t i = 0; i < options_.plan.averaged; ++i) chain.sampler->sample(p, sum);
  }
  return sums;
}

std::vector<SampledWeights> StatisticalAligner::weights(std::size_t first, std::size_t count) {
  std::vector<std::vector<WeightTable>> sums(samplers_.size());
  options_.run(samplers_.size(),
               [&](std::size_t i) { sums[i] = draw(samplers_[i], first, count); });
  const float share = 2.0F / static_cast<float>(std::ssize(samplers_) * options_.plan.averaged);
  std::vector<SampledWeights> result(count);
  for (std::size_t i = 0; i < samplers_.size(); ++i) {  // in order, so that sums do not vary
    for (std::size_t p = 0; p < count; ++p) {
      add_share(sums[i][p], share, samplers_[i].reverse ? result[p].reverse : result[p].forward);
    }
  }
  return result;
}

}  // namespace attend::align
