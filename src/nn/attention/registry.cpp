#include "nn/attention/registry.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "nn/attention/distribution/entmax15_distribution.h"
#include "nn/attention/distribution/hard_distribution.h"
#include "nn/attention/distribution/sigmoid_distribution.h"
#include "nn/attention/distribution/softmax_distribution.h"
#include "nn/attention/distribution/sparsemax_distribution.h"
#include "nn/attention/scope/global_scope.h"
#include "nn/attention/scope/local_m_scope.h"
#include "nn/attention/scope/local_p_scope.h"
#include "nn/attention/scope/position_bias_scope.h"
#include "nn/attention/score/activated_general_score.h"
#include "nn/attention/score/additive_score.h"
#include "nn/attention/score/biased_general_score.h"
#include "nn/attention/score/concat_score.h"
#include "nn/attention/score/convolution_score.h"
#include "nn/attention/score/cosine_score.h"
#include "nn/attention/score/coverage_score.h"
#include "nn/attention/score/deep_score.h"
#include "nn/attention/score/dot_score.h"
#include "nn/attention/score/general_score.h"
#include "nn/attention/score/kernel_score.h"
#include "nn/attention/score/location_aware_score.h"
#include "nn/attention/score/location_score.h"
#include "nn/attention/score/scaled_dot_score.h"

namespace attend::nn {
namespace {

/// A block's maker with what config users read of it.
template <class Base, class... Args>
struct Entry {
  std::string meaning;
  std::function<std::shared_ptr<Base>(Args...)> make;
  bool weighs_features = false;
};

template <class Base, class... Args>
using Registry = std::map<std::string, Entry<Base, Args...>>;

using Scores = Registry<AttentionScore, const AttentionOptions&, ScoreSizes>;
using Distributions = Registry<AttentionDistribution, const AttentionOptions&>;
using Scopes = Registry<AttentionScope, const AttentionOptions&, ScoreSizes>;

template <class Score>
Scores::mapped_type score(std::string meaning) {
  const auto make = [](const AttentionOptions& options, ScoreSizes sizes) {
    return std::make_shared<Score>(options, sizes);
  };
  return {std::move(meaning), make, Score::kWeighsFeatures};
}

template <class Distribution>
Distributions::mapped_type distribution(std::string meaning) {
  return {std::move(meaning),
          [](const AttentionOptions& options) { return std::make_shared<Distribution>(options); }};
}

template <class Scope>
Scopes::mapped_type scope(std::string meaning) {
  return {std::move(meaning), [](const AttentionOptions& options, ScoreSizes sizes) {
            return std::make_shared<Scope>(options, sizes);
          }};
}

/// q: the query, k: the key of source position s, w: a learned vector, W and U: learned matrices.
Scores scores() {
  return {
      {"activated_general", score<ActivatedGeneralScore>("tanh(q^T W k + b) (Ma et al. 2017)")},
      {"additive", score<AdditiveScore>("w^T tanh(W_k k + W_q q + b) (Bahdanau et al. 2015)")},
      {"biased_general", score<BiasedGeneralScore>("k^T (W q + b) (Sordoni et al. 2016)")},
      {"concat", score<ConcatScore>("w^T tanh(W [q; k] + b) (Luong et al. 2015)")},
      {"convolution", score<ConvolutionScore>("additive over a window of `width` keys")},
      {"cosine", score<CosineScore>("beta cos(W q, k), beta learned (Graves et al. 2014)")},
      {"coverage",
       score<CoverageScore>("additive, and sees the sum of the weights so far (Tu et al. 2016)")},
      {"deep", score<DeepScore>("additive with `layers` tanh layers (Pavlopoulos et al. 2017)")},
      {"dot", score<DotScore>("q^T k, of equal sizes (Luong et al. 2015)")},
      {"general", score<GeneralScore>("q^T W k (Luong et al. 2015)")},
      {"kernel",
       score<KernelScore>("log(phi(W_q q)^T phi(W_k k)), phi = elu + 1 (Katharopoulos 2020)")},
      {"location", score<LocationScore>("(W q)[s], from the query alone (Luong et al. 2015)")},
      {"location_aware", score<LocationAwareScore>("additive, and sees the previous step's weights "
                                                   "through filters (Chorowski et al. 2015)")},
      {"scaled_dot", score<ScaledDotScore>("q^T k / sqrt(size), of equal sizes (Vaswani 2017)")},
  };
}

Distributions distributions() {
  return {
      {"entmax15", distribution<Entmax15Distribution>("1.5-entmax, low energies get exactly 0 "
                                                      "(Peters et al. 2019)")},
      {"hard", distribution<HardDistribution>("one position: drawn in training, the most probable "
                                              "one otherwise (Xu et al. 2015)")},
      {"sigmoid", distribution<SigmoidDistribution>("each position by itself, between 0 and 1")},
      {"softmax", distribution<SoftmaxDistribution>("exp(e / temperature) over its sum")},
      {"sparsemax", distribution<SparsemaxDistribution>("the nearest point of the simplex, exact "
                                                        "zeros (Martins & Astudillo 2016)")},
  };
}

Scopes scopes() {
  return {
      {"global", scope<GlobalScope>("all of them")},
      {"local_m", scope<LocalMonotonicScope>("`window` to each side of the target position (Luong "
                                             "et al. 2015)")},
      {"local_p", scope<LocalPredictiveScope>("`window` to each side of a predicted position, less "
                                              "weight far from it (Luong et al. 2015)")},
      {"position_bias", scope<PositionBiasScope>("all, with a learned bias by distance from the "
                                                 "target position")},
  };
}

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.first);
  return names;
}

template <class Entries>
std::string meanings_of(const Entries& entries) {
  std::string text;
  for (const auto& [name, entry] : entries) text += fmt::format("\n  {}: {}", name, entry.meaning);
  return text;
}

}  // namespace

std::vector<std::string> score_names() {
  return names_of(scores());
}
std::vector<std::string> distribution_names() {
  return names_of(distributions());
}
std::vector<std::string> scope_names() {
  return names_of(scopes());
}

std::vector<std::string> per_feature_score_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : scores()) {
    if (entry.weighs_features) names.push_back(name);
  }
  return names;
}

std::string score_meanings() {
  return meanings_of(scores());
}
std::string distribution_meanings() {
  return meanings_of(distributions());
}
std::string scope_meanings() {
  return meanings_of(scopes());
}

std::shared_ptr<AttentionScore> make_score(const AttentionOptions& options, ScoreSizes sizes) {
  return scores().at(options.score).make(options, sizes);
}

std::shared_ptr<AttentionDistribution> make_distribution(const AttentionOptions& options) {
  return distributions().at(options.distribution).make(options);
}

std::shared_ptr<AttentionScope> make_scope(const AttentionOptions& options, ScoreSizes sizes) {
  return scopes().at(options.scope).make(options, sizes);
}

}  // namespace attend::nn
