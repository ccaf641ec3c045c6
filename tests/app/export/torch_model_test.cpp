#include "app/export/torch_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attend::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> keys_in_the_way(const Experiment& experiment) {
  std::vector<std::string> keys;
  for (const Obstacle& obstacle : torch_obstacles(experiment)) keys.push_back(obstacle.key);
  return keys;
}

TEST(TorchModel, NamesEveryKeyThatTheProgramDoesNotCompute) {
  Experiment experiment;  // recurrent
  EXPECT_THAT(keys_in_the_way(experiment), IsEmpty());
  model::RecurrentEncoderOptions encoder;
  encoder.cell = nn::CellKind::ntm;
  encoder.repeat_source = 2;
  encoder.self_attention = model::TopAttention::additive;
  model::RecurrentDecoderOptions decoder;
  decoder.cell = nn::CellKind::dnc;
  experiment.data.reverse_target = true;
  experiment.model.encoder = encoder;
  experiment.model.decoder = decoder;
  experiment.model.attention.score = nn::ScoreKind::cosine;
  experiment.model.attention.distribution = nn::DistributionKind::entmax15;
  experiment.model.attention.scope = nn::ScopeKind::local_m;
  experiment.model.attention.per_feature = true;
  EXPECT_THAT(
      keys_in_the_way(experiment),
      ElementsAre("data.reverse_target", "model.encoder.cell", "model.encoder.repeat_source",
                  "model.encoder.self_attention", "model.decoder.cell", "model.attention.score",
                  "model.attention.distribution", "model.attention.scope",
                  "model.attention.per_feature"));
}

TEST(TorchModel, DoesNotReadTheAttentionOfAWiringWithoutOne) {
  Experiment experiment;
  model::RecurrentDecoderOptions decoder;
  decoder.wiring = model::WiringKind::none;
  experiment.model.decoder = decoder;
  experiment.model.attention.score = nn::ScoreKind::deep;
  EXPECT_THAT(keys_in_the_way(experiment), IsEmpty());
  decoder.wiring = model::WiringKind::answer;
  experiment.model.decoder = decoder;
  EXPECT_THAT(keys_in_the_way(experiment), ElementsAre("model.decoder.wiring"));
}

TEST(TorchModel, ChecksTheSelfAttentionOfStacks) {
  Experiment experiment;
  model::TransformerEncoderOptions encoder;
  encoder.layer_attention.score = nn::ScoreKind::kernel;
  experiment.model.encoder = encoder;
  experiment.model.decoder = model::SsruDecoderOptions();
  EXPECT_THAT(keys_in_the_way(experiment), ElementsAre("model.encoder.layer_attention.score"));
}

}  // namespace
}  // namespace attend::app
