#include "app/export/ctranslate2_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/weights_file.h"
#include "tests/support/tensors.h"

namespace attend::app {
namespace {

using attend::test::TensorEq;
using attend::test::TensorNear;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr int64_t kSource = 11, kTarget = 13;  // pieces

struct Stacks {
  model::TransformerEncoderOptions encoder;
  model::TransformerDecoderOptions decoder;
};

/// Two encoder layers and one decoder layer of width 8, with two heads.
Stacks small_stacks() {
  Stacks stacks;
  stacks.encoder.layers = 2;
  stacks.encoder.feed_forward = 12;
  stacks.decoder.feed_forward = 10;
  stacks.encoder.heads = stacks.decoder.heads = 2;
  return stacks;
}

model::ModelOptions model_of(const Stacks& stacks) {
  model::ModelOptions options;
  options.embedding = 8;
  options.encoder = stacks.encoder;
  options.decoder = stacks.decoder;
  options.attention.score = nn::ScoreKind::scaled_dot;
  options.attention.heads = 2;
  return options;
}

struct Exported {
  std::map<std::string, torch::Tensor> ours;
  Ctranslate2Variables theirs;
};

Exported exported(const model::ModelOptions& options) {
  model::Seq2Seq model(options, kSource, options.tie == model::Tie::all ? kSource : kTarget);
  model::initialize(model, 5);
  const auto ours = storage::weights_of(model);
  return {ours, ctranslate2_variables(ours, options)};
}

Experiment experiment_of(const model::ModelOptions& options) {
  Experiment experiment;
  experiment.model = options;
  return experiment;
}

TEST(Ctranslate2Model, StacksQueryKeyAndValueOfSelfAttention) {
  const Exported model = exported(model_of(small_stacks()));
  const torch::Tensor& fused = model.theirs.at("encoder/layer_1/self_attention/linear_0/weight");
  ASSERT_EQ(fused.sizes(), (std::vector<int64_t>{24, 8}));
  const std::string heads = "encoder.layer1.self_attention.heads.";
  EXPECT_THAT(fused.narrow(0, 0, 8), TensorEq(model.ours.at(heads + "query.weight")));
  EXPECT_THAT(fused.narrow(0, 8, 8), TensorEq(model.ours.at(heads + "key.weight")));
  EXPECT_THAT(fused.narrow(0, 16, 8), TensorEq(model.ours.at(heads + "value.weight")));
  EXPECT_FALSE(model.theirs.contains("encoder/layer_1/self_attention/linear_0/bias"));
}

TEST(Ctranslate2Model, StacksKeyAndValueOfTheAttentionToTheSource) {
  const Exported model = exported(model_of(small_stacks()));
  const torch::Tensor& fused = model.theirs.at("decoder/layer_0/attention/linear_1/weight");
  ASSERT_EQ(fused.sizes(), (std::vector<int64_t>{16, 8}));
  const std::string heads = "decoder.layer0.attention.heads.";
  EXPECT_THAT(fused.narrow(0, 0, 8), TensorEq(model.ours.at(heads + "key.weight")));
  EXPECT_THAT(fused.narrow(0, 8, 8), TensorEq(model.ours.at(heads + "value.weight")));
  EXPECT_THAT(model.theirs.at("decoder/layer_0/attention/linear_2/weight"),
              TensorEq(model.ours.at(heads + "output.weight")));
}

// Settings as ctranslate2/specs/transformer_spec.py stores them.
TEST(Ctranslate2Model, StoresSettingsWithTheTypesOfTheFormat) {
  Stacks stacks = small_stacks();
  stacks.decoder.norm = model::NormPlace::post;
  stacks.decoder.activation = model::Activation::gelu;
  const Exported model = exported(model_of(stacks));
  const auto expect = [&](const std::string& name, torch::ScalarType type, int64_t value) {
    const torch::Tensor& setting = model.theirs.at(name);
    EXPECT_EQ(setting.dim(), 0) << name;
    EXPECT_EQ(setting.scalar_type(), type) << name;
    EXPECT_EQ(setting.item<int64_t>(), value) << name;
  };
  expect("encoder/num_heads", torch::kShort, 2);
  expect("decoder/num_heads", torch::kShort, 2);
  expect("encoder/pre_norm", torch::kChar, 1);
  expect("decoder/pre_norm", torch::kChar, 0);
  expect("encoder/activation", torch::kChar, 0);
  expect("decoder/activation", torch::kChar, 3);
  expect("encoder/scale_embeddings", torch::kChar, 1);
  expect("decoder/alignment_layer", torch::kShort, 0);
  expect("decoder/alignment_heads", torch::kShort, 0);
  EXPECT_TRUE(model.theirs.contains("encoder/layer_norm/gamma"));
  EXPECT_FALSE(model.theirs.contains("decoder/layer_norm/gamma"));
}

// Vaswani et al. (2017), Sec. 3.5: sin and cos of t / 10000^(2i / 8), alternating.
TEST(Ctranslate2Model, WritesSinusoidsAsATable) {
  const Exported model = exported(model_of(small_stacks()));
  const torch::Tensor& table = model.theirs.at("encoder/position_encodings/encodings");
  ASSERT_EQ(table.sizes(), (std::vector<int64_t>{2048, 8}));
  EXPECT_FLOAT_EQ(table[3][0].item<float>(), std::sin(3.0F));
  EXPECT_FLOAT_EQ(table[3][1].item<float>(), std::cos(3.0F));
  EXPECT_FLOAT_EQ(table[3][2].item<float>(), std::sin(0.3F));
  EXPECT_FLOAT_EQ(table[3][5].item<float>(), std::cos(0.03F));
}

TEST(Ctranslate2Model, RepeatsTheLastLearnedPosition) {
  Stacks stacks = small_stacks();
  stacks.decoder.positions = nn::PositionKind::learned;
  stacks.decoder.max_positions = 5;
  const Exported model = exported(model_of(stacks));
  const torch::Tensor& table = model.theirs.at("decoder/position_encodings/encodings");
  const torch::Tensor& learned = model.ours.at("decoder.input.positions.weight");
  ASSERT_EQ(table.sizes(), (std::vector<int64_t>{2048, 8}));
  EXPECT_THAT(table.narrow(0, 0, 5), TensorEq(learned));
  EXPECT_THAT(table[2047], TensorEq(learned[4]));
}

TEST(Ctranslate2Model, KeepsLearnedPositionsBeyondTheUsualTable) {
  Stacks stacks = small_stacks();
  stacks.encoder.positions = nn::PositionKind::learned;
  stacks.encoder.max_positions = 2050;
  const Exported model = exported(model_of(stacks));
  EXPECT_EQ(model.theirs.at("encoder/position_encodings/encodings").size(0), 2050);
}

TEST(Ctranslate2Model, ReplacesPositionVectorsByDistances) {
  Stacks stacks = small_stacks();
  stacks.encoder.positions = nn::PositionKind::rotary;
  stacks.decoder.positions = nn::PositionKind::relative;
  stacks.decoder.layer_attention.max_distance = 3;
  const Exported model = exported(model_of(stacks));
  EXPECT_FALSE(model.theirs.contains("encoder/position_encodings/encodings"));
  EXPECT_FALSE(model.theirs.contains("decoder/position_encodings/encodings"));
  const std::string rotary = "encoder/layer_0/self_attention/rotary_";
  EXPECT_EQ(model.theirs.at(rotary + "dim").item<int>(), 4);
  EXPECT_EQ(model.theirs.at(rotary + "interleave").item<int>(), 1);
  const std::string relative = "decoder/layer_0/self_attention/relative_position_";
  EXPECT_EQ(model.theirs.at(relative + "keys").sizes(), (std::vector<int64_t>{7, 4}));
  EXPECT_THAT(
      model.theirs.at(relative + "values"),
      TensorEq(model.ours.at("decoder.layer0.mixer.self_attention.attention.scope.scope.values")));
}

// Word vectors are read as sqrt(8) W x + b, keys as W_k (M y + m).
TEST(Ctranslate2Model, MultipliesProjectionsIntoTheirNeighbours) {
  Stacks stacks = small_stacks();
  stacks.encoder.width = 6;
  stacks.decoder.width = 10;
  model::ModelOptions options = model_of(stacks);
  options.tie = model::Tie::decoder;
  const Exported model = exported(options);
  const auto& ours = model.ours;
  EXPECT_THAT(model.theirs.at("encoder/embeddings_0/weight"),
              TensorNear(at::linear(ours.at("source_embedding.weight") * std::sqrt(8.0),
                                    ours.at("encoder.input.projection.weight"),
                                    ours.at("encoder.input.projection.bias")),
                         1e-5));
  EXPECT_EQ(model.theirs.at("encoder/scale_embeddings").item<int>(), 0);
  const torch::Tensor encoded = torch::linspace(-1.0, 1.0, 6);  // [6]
  const torch::Tensor memory =
      at::linear(encoded, ours.at("decoder.memory.weight"), ours.at("decoder.memory.bias"));
  const std::string linear = "decoder/layer_0/attention/linear_1/";
  EXPECT_THAT(
      at::linear(encoded, model.theirs.at(linear + "weight"), model.theirs.at(linear + "bias"))
          .narrow(0, 0, 10),
      TensorNear(at::linear(memory, ours.at("decoder.layer0.attention.heads.key.weight")), 1e-5));
  EXPECT_THAT(model.theirs.at("decoder/project_out/weight"),
              TensorEq(ours.at("output.projection.weight")));
  EXPECT_THAT(model.theirs.at("decoder/projection/weight"),
              TensorEq(ours.at("target_embedding.weight")));
}

TEST(Ctranslate2Model, DividesTheTemperatureIntoTheScale) {
  model::ModelOptions options = model_of(small_stacks());
  options.attention.temperature = 2.0;
  const Exported model = exported(options);
  // Heads have four features.
  EXPECT_FLOAT_EQ(model.theirs.at("decoder/layer_0/attention/queries_scale").item<float>(), 0.25F);
  EXPECT_FLOAT_EQ(model.theirs.at("decoder/layer_0/self_attention/queries_scale").item<float>(),
                  0.5F);
}

TEST(Ctranslate2Model, UsesTheOnlyEmbeddingForBothSidesIfAllAreTied) {
  model::ModelOptions options = model_of(small_stacks());
  options.tie = model::Tie::all;
  const Exported model = exported(options);
  const torch::Tensor& words = model.ours.at("target_embedding.weight");
  for (const char* name :
       {"encoder/embeddings_0/weight", "decoder/embeddings/weight", "decoder/projection/weight"})
    EXPECT_THAT(model.theirs.at(name), TensorEq(words)) << name;
}

testing::Matcher<Obstacle> obstacle(const std::string& key, const std::string& value,
                                    const std::string& needed) {
  return testing::AllOf(Field("key", &Obstacle::key, key), Field("value", &Obstacle::value, value),
                        Field("needed", &Obstacle::needed, needed));
}

TEST(Ctranslate2Model, NamesEveryKeyThatTheFormatCannotExpress) {
  EXPECT_THAT(ctranslate2_obstacles(experiment_of(model_of(small_stacks()))), IsEmpty());
  Stacks stacks = small_stacks();
  stacks.encoder.layer_attention.score = nn::ScoreKind::additive;
  stacks.encoder.layer_attention.distribution = nn::DistributionKind::sparsemax;
  stacks.decoder.layer_attention.scope = nn::ScopeKind::position_bias;
  Experiment experiment = experiment_of(model_of(stacks));
  experiment.data.reverse_target = true;
  experiment.model.attention.scope = nn::ScopeKind::position_bias;
  experiment.model.attention.heads = 4;
  EXPECT_THAT(
      ctranslate2_obstacles(experiment),
      ElementsAre(obstacle("data.reverse_target", "true", "false"),
                  obstacle("model.encoder.layer_attention.score", "additive", "scaled_dot or dot"),
                  obstacle("model.encoder.layer_attention.distribution", "sparsemax", "softmax"),
                  obstacle("model.decoder.layer_attention.scope", "position_bias", "global"),
                  obstacle("model.attention.scope", "position_bias", "global"),
                  obstacle("model.attention.heads", "4", "2")));
}

TEST(Ctranslate2Model, NamesOnlyTheTypesOfOtherFamilies) {
  Experiment experiment;  // recurrent
  experiment.data.train = {{"a", "b"}};
  experiment.data.train.front().sources.push_back({"other", "c"});
  EXPECT_THAT(ctranslate2_obstacles(experiment),
              ElementsAre(obstacle("data.train.source", "2", "1 file"),
                          obstacle("model.encoder.type", "recurrent", "transformer"),
                          obstacle("model.decoder.type", "recurrent", "transformer")));
}

}  // namespace
}  // namespace attend::app
