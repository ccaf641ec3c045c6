#include "nn/attention/registry.h"

#include <functional>
#include <map>

#include "nn/attention/additive_score.h"
#include "nn/attention/concat_score.h"
#include "nn/attention/dot_score.h"
#include "nn/attention/general_score.h"
#include "nn/attention/global_scope.h"
#include "nn/attention/location_score.h"
#include "nn/attention/scaled_dot_score.h"
#include "nn/attention/softmax_distribution.h"

namespace attend::nn {
namespace {

template <class Base, class... Args>
using Registry = std::map<std::string, std::function<std::shared_ptr<Base>(Args...)>>;

/// A maker for a block whose constructor takes exactly these arguments.
template <class Block, class... Args>
auto make() {
  return [](Args... args) { return std::make_shared<Block>(args...); };
}

Registry<AttentionScore, const AttentionOptions&, ScoreSizes> scores() {
  return {
      {"additive", make<AdditiveScore, const AttentionOptions&, ScoreSizes>()},
      {"concat", make<ConcatScore, const AttentionOptions&, ScoreSizes>()},
      {"dot", make<DotScore, const AttentionOptions&, ScoreSizes>()},
      {"general", make<GeneralScore, const AttentionOptions&, ScoreSizes>()},
      {"location", make<LocationScore, const AttentionOptions&, ScoreSizes>()},
      {"scaled_dot", make<ScaledDotScore, const AttentionOptions&, ScoreSizes>()},
  };
}

Registry<AttentionDistribution, const AttentionOptions&> distributions() {
  return {
      {"softmax", make<SoftmaxDistribution, const AttentionOptions&>()},
  };
}

Registry<AttentionScope, const AttentionOptions&> scopes() {
  return {
      {"global", make<GlobalScope, const AttentionOptions&>()},
  };
}

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.first);
  return names;
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

std::shared_ptr<AttentionScore> make_score(const AttentionOptions& options, ScoreSizes sizes) {
  return scores().at(options.score)(options, sizes);
}

std::shared_ptr<AttentionDistribution> make_distribution(const AttentionOptions& options) {
  return distributions().at(options.distribution)(options);
}

std::shared_ptr<AttentionScope> make_scope(const AttentionOptions& options) {
  return scopes().at(options.scope)(options);
}

}  // namespace attend::nn
