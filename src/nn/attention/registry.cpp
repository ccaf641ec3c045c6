#include "nn/attention/registry.h"

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

template <class Block, class... Args>
std::shared_ptr<Block> make(const AttentionOptions& options, Args... sizes) {
  return std::make_shared<Block>(options, sizes...);
}

}  // namespace

std::shared_ptr<AttentionScore> make_score(const AttentionOptions& options, ScoreSizes sizes) {
  switch (options.score) {
    case ScoreKind::activated_general:
      return make<ActivatedGeneralScore>(options, sizes);
    case ScoreKind::additive:
      return make<AdditiveScore>(options, sizes);
    case ScoreKind::biased_general:
      return make<BiasedGeneralScore>(options, sizes);
    case ScoreKind::concat:
      return make<ConcatScore>(options, sizes);
    case ScoreKind::convolution:
      return make<ConvolutionScore>(options, sizes);
    case ScoreKind::cosine:
      return make<CosineScore>(options, sizes);
    case ScoreKind::coverage:
      return make<CoverageScore>(options, sizes);
    case ScoreKind::deep:
      return make<DeepScore>(options, sizes);
    case ScoreKind::dot:
      return make<DotScore>(options, sizes);
    case ScoreKind::general:
      return make<GeneralScore>(options, sizes);
    case ScoreKind::kernel:
      return make<KernelScore>(options, sizes);
    case ScoreKind::location:
      return make<LocationScore>(options, sizes);
    case ScoreKind::location_aware:
      return make<LocationAwareScore>(options, sizes);
    case ScoreKind::scaled_dot:
      return make<ScaledDotScore>(options, sizes);
  }
  return nullptr;
}

std::shared_ptr<AttentionDistribution> make_distribution(const AttentionOptions& options) {
  switch (options.distribution) {
    case DistributionKind::entmax15:
      return make<Entmax15Distribution>(options);
    case DistributionKind::hard:
      return make<HardDistribution>(options);
    case DistributionKind::sigmoid:
      return make<SigmoidDistribution>(options);
    case DistributionKind::softmax:
      return make<SoftmaxDistribution>(options);
    case DistributionKind::sparsemax:
      return make<SparsemaxDistribution>(options);
  }
  return nullptr;
}

std::shared_ptr<AttentionScope> make_scope(const AttentionOptions& options, ScoreSizes sizes) {
  switch (options.scope) {
    case ScopeKind::global:
      return make<GlobalScope>(options, sizes);
    case ScopeKind::local_m:
      return make<LocalMonotonicScope>(options, sizes);
    case ScopeKind::local_p:
      return make<LocalPredictiveScope>(options, sizes);
    case ScopeKind::position_bias:
      return make<PositionBiasScope>(options, sizes);
  }
  return nullptr;
}

}  // namespace attend::nn
