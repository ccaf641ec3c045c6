#include "align/statistical/gibbs_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace attend::align {
namespace {

using Alignment = std::vector<std::vector<int32_t>>;  // [pair][target word]

/// The logarithm of the joint probability of all links up to a constant, straight from the formula
/// of the header: all counts are made anew for every alignment.
class Joint {
 public:
  Joint(const NumberedCorpus& corpus, const AlignmentPriors& priors, AlignmentStage stage)
      : corpus_(corpus), priors_(priors), stage_(stage) {}

  double operator()(const Alignment& alignment) const {
    std::vector<std::vector<int>> lexical(
        static_cast<std::size_t>(corpus_.sources) + 1,
        std::vector<int>(static_cast<std::size_t>(corpus_.targets)));
    std::vector<std::vector<int>> fertility(static_cast<std::size_t>(corpus_.sources),
                                            std::vector<int>(16));
    std::map<int, int> jumps;
    double result = 0.0;
    for (std::size_t p = 0; p < alignment.size(); ++p) {
      const auto& [source, target] = corpus_.pairs[p];
      std::vector<int> linked(source.size());
      int before = -1;
      for (std::size_t t = 0; t < target.size(); ++t) {
        const int32_t s = alignment[p][t];
        const bool none = s == GibbsSampler::kNone;
        ++lexical[static_cast<std::size_t>(none ? corpus_.sources
                                                : source.at(static_cast<std::size_t>(s)))]
                 [static_cast<std::size_t>(target[t])];
        result += std::log(none ? priors_.null : 1.0 - priors_.null);
        if (none) continue;
        if (stage_ == AlignmentStage::kModel1)
          result -= std::log(static_cast<double>(source.size()));
        ++linked[static_cast<std::size_t>(s)];
        ++jumps[std::clamp(s - before, -100, 100)];
        before = s;
      }
      ++jumps[std::clamp(static_cast<int>(source.size()) - before, -100, 100)];
      for (std::size_t s = 0; s < source.size(); ++s)
        ++fertility[static_cast<std::size_t>(source[s])]
                   [static_cast<std::size_t>(std::min(linked[s], 15))];
    }
    for (const LinkCount& known : corpus_.known)
      lexical[static_cast<std::size_t>(known.source)][static_cast<std::size_t>(known.target)] +=
          known.count;
    for (const auto& row : lexical) result += log_probability(row, priors_.lexical);
    if (stage_ == AlignmentStage::kModel1) return result;
    std::vector<int> jump_counts(201);
    for (const auto& [distance, count] : jumps)
      jump_counts[static_cast<std::size_t>(distance + 100)] = count;
    result += log_probability(jump_counts, priors_.jump);
    if (stage_ == AlignmentStage::kHmm) return result;
    for (const auto& row : fertility) result += log_probability(row, priors_.fertility);
    return result;
  }

 private:
  // The Dirichlet-multinomial distribution.
  static double log_probability(const std::vector<int>& counts, double prior) {
    const double all = prior * static_cast<double>(counts.size());
    double result =
        std::lgamma(all) - std::lgamma(all + std::accumulate(counts.begin(), counts.end(), 0));
    for (const int count : counts) result += std::lgamma(count + prior) - std::lgamma(prior);
    return result;
  }

  const NumberedCorpus& corpus_;
  AlignmentPriors priors_;
  AlignmentStage stage_;
};

Alignment alignment_of(const GibbsSampler& sampler, std::size_t pairs) {
  Alignment result;
  for (std::size_t p = 0; p < pairs; ++p) {
    const auto links = sampler.links(p);
    result.emplace_back(links.begin(), links.end());
  }
  return result;
}

/// The conditional probabilities of the link of word t of pair p: each source position, then none.
std::vector<double> conditional(const Joint& joint, Alignment alignment, std::size_t p,
                                std::size_t t, std::size_t sources) {
  std::vector<double> logs;
  for (std::size_t s = 0; s <= sources; ++s) {
    alignment[p][t] = s < sources ? static_cast<int32_t>(s) : GibbsSampler::kNone;
    logs.push_back(joint(alignment));
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double total = 0.0;
  for (double& value : logs) total += value = std::exp(value - largest);
  for (double& value : logs) value /= total;
  return logs;
}

// Words are drawn one after another, so word t of a pair sees the new links of the words before it
// and the old ones of the words after it.
void expect_exact(const NumberedCorpus& corpus, AlignmentStage stage, int sweeps) {
  const AlignmentPriors priors{.lexical = 0.3, .jump = 0.7, .fertility = 0.4, .null = 0.25};
  const Joint joint(corpus, priors, stage);
  GibbsSampler sampler(corpus, priors, 3);
  sampler.begin(stage);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t p = 0; p < corpus.pairs.size(); ++p) {
      const auto& [source, target] = corpus.pairs[p];
      Alignment alignment = alignment_of(sampler, corpus.pairs.size());
      WeightTable sum(target.size(), source.size() + 1);
      sampler.sample(p, sum);
      for (std::size_t t = 0; t < target.size(); ++t) {
        const auto expected = conditional(joint, alignment, p, t, source.size());
        for (std::size_t s = 0; s <= source.size(); ++s)
          ASSERT_NEAR(sum(t, s), expected[s], 1e-6)
              << "pair " << p << " word " << t << " from " << s;
        alignment[p][t] = sampler.links(p)[t];
      }
    }
    sampler.sweep();
  }
}

// Repeated words on both sides, in one pair and across pairs; pairs of different lengths.
const NumberedCorpus kTiny{.pairs = {{{0, 1, 0, 2}, {0, 1, 1}},
                                     {{2, 1}, {3, 0, 1, 2, 0}},
                                     {{0, 0, 0}, {0, 0}},
                                     {{3}, {2, 2}}},
                           .sources = 4,
                           .targets = 5};

TEST(GibbsSampler, DrawsFromTheExactConditionalsOfModel1) {
  expect_exact(kTiny, AlignmentStage::kModel1, 20);
}

TEST(GibbsSampler, DrawsFromTheExactConditionalsOfTheHmm) {
  expect_exact(kTiny, AlignmentStage::kHmm, 20);
}

TEST(GibbsSampler, DrawsFromTheExactConditionalsWithFertility) {
  expect_exact(kTiny, AlignmentStage::kFertility, 20);
}

// Word 4 of the sources and word 5 of the targets occur in other text only.
TEST(GibbsSampler, CountsKnownLinksOfOtherText) {
  NumberedCorpus corpus = kTiny;
  corpus.sources = 5;
  corpus.targets = 6;
  corpus.known = {{0, 1, 7}, {0, 5, 3}, {1, 0, 2}, {4, 2, 9}};
  expect_exact(corpus, AlignmentStage::kModel1, 10);
  expect_exact(corpus, AlignmentStage::kFertility, 10);
}

// Jumps of more than 100 positions and fertilities of more than 15 share their counts.
TEST(GibbsSampler, CountsLongJumpsAndLargeFertilitiesTogether) {
  const std::vector<int32_t> longer(180, 0);
  const NumberedCorpus corpus{.pairs = {{longer, {0, 1, 0}},
                                        {longer, {1}},
                                        {longer, {0}},
                                        {{1}, std::vector<int32_t>(25, 2)}},
                              .sources = 2,
                              .targets = 3};
  expect_exact(corpus, AlignmentStage::kFertility, 3);
}

TEST(GibbsSampler, LinksNothingToAnEmptySource) {
  const NumberedCorpus corpus{.pairs = {{{}, {0, 1}}, {{0}, {}}}, .sources = 1, .targets = 2};
  GibbsSampler sampler(corpus, {}, 1);
  for (const auto stage :
       {AlignmentStage::kModel1, AlignmentStage::kHmm, AlignmentStage::kFertility}) {
    sampler.begin(stage);
    sampler.sweep();
  }
  EXPECT_EQ(alignment_of(sampler, 2), (Alignment{{GibbsSampler::kNone, GibbsSampler::kNone}, {}}));
}

TEST(GibbsSampler, DependsOnItsSeedAlone) {
  const auto after_sweeps = [](uint64_t seed) {
    GibbsSampler sampler(kTiny, {}, seed);
    for (int i = 0; i < 5; ++i) sampler.sweep();
    return alignment_of(sampler, kTiny.pairs.size());
  };
  EXPECT_EQ(after_sweeps(1), after_sweeps(1));
  EXPECT_NE(after_sweeps(1), after_sweeps(2));
}

}  // namespace
}  // namespace attend::align
