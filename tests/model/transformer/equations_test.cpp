// Compares transformers with a second implementation, and tests the guarantees of masks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "model/transformer/feed_forward.h"
#include "model/transformer/layer_drop.h"
#include "tests/model/small_models.h"
#include "tests/model/transformer/plain_transformer.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::DistributionKind;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;
using test::f64;
using test::TensorEq;
using test::TensorNear;

torch::Tensor as_tensor(const test::Rows& rows) {
  std::vector<double> values;
  for (const test::Row& row : rows) values.insert(values.end(), row.begin(), row.end());
  return f64(values, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
}

std::vector<int64_t> words_of(const data::SentenceBatch& batch, int64_t row) {
  std::vector<int64_t> words;
  for (int64_t t = 0; t < batch.lengths[row].item<int64_t>(); ++t) {
    words.push_back(batch.ids[row][t].item<int64_t>());
  }
  return words;
}

void expect_equations(const ModelOptions& options, const std::string& name) {
  const auto model = test::small_model(options);
  const test::PlainTransformer plain(*model);
  const test::Pairs pairs = test::three_pairs();
  const torch::Tensor scores =
      model->logits(model->decode(model->encode(pairs.source), pairs.target_input).outputs);
  for (int64_t row = 0; row < 3; ++row) {
    const auto input = words_of(pairs.target_input, row);
    EXPECT_THAT(
        scores[row].slice(0, 0, static_cast<int64_t>(input.size())),
        TensorNear(as_tensor(plain.decode(plain.encode(words_of(pairs.source, row)), input)), 1e-9))
        << name << ", sentence " << row;
  }
}

/// Weights of one attention, zero where rows are masked.
torch::Tensor as_maps(const std::vector<test::Rows>& heads, int64_t columns) {
  std::vector<torch::Tensor> maps;
  for (test::Rows rows : heads) {
    for (test::Row& row : rows) row.resize(static_cast<std::size_t>(columns), 0.0);
    maps.push_back(as_tensor(rows));
  }
  return torch::stack(maps);
}

void expect_traced(const LayerMaps& traced, int64_t row, const test::PlainTransformer& plain,
                   const std::string& begin, const std::string& end) {
  ASSERT_EQ(traced.size(), 2U);
  for (std::size_t i = 0; i < traced.size(); ++i) {
    const auto& heads = plain.weights(begin + std::to_string(i) + end);
    const auto rows = static_cast<int64_t>(heads[0].size());
    const auto columns = static_cast<int64_t>(heads[0].back().size());
    EXPECT_THAT(traced[i][row].slice(1, 0, rows).slice(2, 0, columns),
                TensorNear(as_maps(heads, columns), 1e-9))
        << begin << i << end << ", sentence " << row;
  }
}

// The weights shown for every layer and head equal those of the second implementation.
TEST(TransformerTrace, HasTheWeightsOfTheEquations) {
  for (const PositionKind positions :
       {PositionKind::sinusoidal, PositionKind::rotary, PositionKind::relative}) {
    ModelOptions options = test::transformer_options();
    test::transformer_encoder(options).positions = test::stack_decoder(options).positions =
        positions;
    const auto model = test::small_model(options);
    const test::PlainTransformer plain(*model);
    const test::Pairs pairs = test::three_pairs();
    const TracedPair traced = model->trace(pairs.source, pairs.target_input);
    EXPECT_THAT(traced.decoding.decoded.outputs,
                TensorEq(model->decode(model->encode(pairs.source), pairs.target_input).outputs));
    for (int64_t row = 0; row < 3; ++row) {
      (void)plain.decode(plain.encode(words_of(pairs.source, row)),
                         words_of(pairs.target_input, row));
      expect_traced(traced.encoder, row, plain, "encoder.layer", ".self_attention.heads");
      expect_traced(traced.decoding.self, row, plain, "decoder.layer",
                    ".mixer.self_attention.heads");
      expect_traced(traced.decoding.cross, row, plain, "decoder.layer", ".attention.heads");
    }
  }
}

/// The interactions of a kind of attention against those of the second implementation.
void expect_interactions(const LayerMaps& traced, int64_t row, const test::PlainTransformer& plain,
                         const std::string& begin, const std::string& end) {
  ASSERT_EQ(traced.size(), 2U);
  for (std::size_t i = 0; i < traced.size(); ++i) {
    const test::Rows& expected = plain.interactions(begin + std::to_string(i) + end);
    const auto columns = static_cast<int64_t>(expected.back().size());
    EXPECT_THAT(
        traced[i][row].slice(0, 0, static_cast<int64_t>(expected.size())).slice(1, 0, columns),
        TensorNear(as_maps({expected}, columns)[0], 1e-9))
        << begin << i << end << ", sentence " << row;
  }
}

void expect_interactions(const ModelOptions& options, const std::string& name) {
  SCOPED_TRACE(name);
  const auto model = test::small_model(options);
  const test::PlainTransformer plain(*model);
  const test::Pairs pairs = test::three_pairs();
  const TracedPair traced = model->trace_interactions(pairs.source, pairs.target_input);
  for (int64_t row = 0; row < 3; ++row) {
    (void)plain.decode(plain.encode(words_of(pairs.source, row)),
                       words_of(pairs.target_input, row));
    expect_interactions(traced.encoder_interactions, row, plain, "encoder.layer",
                        ".self_attention.heads");
    expect_interactions(traced.decoding.self_interactions, row, plain, "decoder.layer",
                        ".mixer.self_attention.heads");
    expect_interactions(traced.decoding.cross_interactions, row, plain, "decoder.layer",
                        ".attention.heads");
  }
}

TEST(TransformerInteractions, EqualThoseOfTheEquations) {
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    for (const PositionKind positions :
         {PositionKind::sinusoidal, PositionKind::rotary, PositionKind::relative}) {
      ModelOptions options = test::transformer_options();
      test::transformer_encoder(options).norm = test::stack_decoder(options).norm = norm;
      test::transformer_encoder(options).positions = test::stack_decoder(options).positions =
          positions;
      expect_interactions(options, fmt::format("{} {}", norm, positions));
    }
  }
}

TEST(TransformerInteractions, AreTracedBesideTheWeightsOnlyIfAsked) {
  const auto model = test::small_model(test::transformer_options());
  const test::Pairs pairs = test::three_pairs();
  const TracedPair plain = model->trace(pairs.source, pairs.target_input);
  const TracedPair traced = model->trace_interactions(pairs.source, pairs.target_input);
  EXPECT_TRUE(plain.encoder_interactions.empty());
  EXPECT_TRUE(plain.decoding.self_interactions.empty());
  EXPECT_TRUE(plain.decoding.cross_interactions.empty());
  EXPECT_THAT(traced.encoder[1], TensorEq(plain.encoder[1]));
  EXPECT_THAT(traced.decoding.cross[1], TensorEq(plain.decoding.cross[1]));
  EXPECT_THAT(traced.decoding.decoded.outputs, TensorEq(plain.decoding.decoded.outputs));
}

TEST(TransformerInteractions, NeedAttentionOfWholePositionsThroughout) {
  const auto obstacles = [](const ModelOptions& options) {
    return test::small_model(options)->interaction_obstacles();
  };
  EXPECT_THAT(obstacles(test::transformer_options()), testing::IsEmpty());
  EXPECT_THAT(obstacles(test::transformer_options(RecurrentEncoderOptions())),
              testing::ElementsAre("encoder.type"));
  EXPECT_THAT(
      obstacles(test::transformer_options(RecurrentEncoderOptions(), RecurrentDecoderOptions())),
      testing::ElementsAre("encoder.type", "decoder.type"));
  for (const DecoderOptions& unit : test::unit_decoders())
    EXPECT_THAT(obstacles(test::transformer_options(TransformerEncoderOptions(), unit)),
                testing::ElementsAre("decoder.type"))
        << type_name(unit);
  ModelOptions by_feature = test::transformer_options();
  by_feature.attention.score = ScoreKind::additive;
  by_feature.attention.per_feature = true;
  EXPECT_THAT(obstacles(by_feature), testing::ElementsAre("attention.per_feature"));
  const test::Pairs pairs = test::three_pairs();
  EXPECT_THROW(
      (void)test::small_model(by_feature)->trace_interactions(pairs.source, pairs.target_input),
      std::logic_error);
}

TEST(TransformerEquations, HoldForEveryNormAndPosition) {
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    for (const PositionKind positions :
         {PositionKind::none, PositionKind::sinusoidal, PositionKind::learned, PositionKind::rotary,
          PositionKind::relative}) {
      ModelOptions options = test::transformer_options();
      test::transformer_encoder(options).norm = test::stack_decoder(options).norm = norm;
      test::transformer_encoder(options).positions = test::stack_decoder(options).positions =
          positions;
      expect_equations(options, fmt::format("{} {}", norm, positions));
    }
  }
}

TEST(TransformerEquations, HoldForEveryActivation) {
  for (const Activation activation :
       {Activation::relu, Activation::gelu, Activation::geglu, Activation::swiglu}) {
    ModelOptions options = test::transformer_options();
    test::transformer_encoder(options).activation = test::stack_decoder(options).activation =
        activation;
    expect_equations(options, std::string(enum_name(activation)));
  }
}

TEST(TransformerEquations, HoldForOneHeadAndOneWidth) {
  ModelOptions options = test::transformer_options();
  test::transformer_encoder(options).width = test::stack_decoder(options).width = 0;
  test::transformer_encoder(options).heads = test::stack_decoder(options).heads =
      options.attention.heads = 1;
  expect_equations(options, "one head");
}

TEST(TransformerEquations, HoldForRecurrentUnits) {
  for (const DecoderOptions& unit : test::unit_decoders()) {
    for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
      ModelOptions options = test::transformer_options(TransformerEncoderOptions(), unit);
      test::stack_decoder(options).norm = norm;
      expect_equations(options, fmt::format("{} {}", type_name(unit), norm));
    }
  }
}

// At the first word there is no state to drop.
TEST(RecurrentUnits, DropFedBackStatesInTrainingAlone) {
  torch::manual_seed(5);
  for (const DecoderOptions& unit :
       {DecoderOptions(GruDecoderOptions()), DecoderOptions(LstmDecoderOptions())}) {
    ModelOptions options = test::transformer_options(TransformerEncoderOptions(), unit);
    options.dropout.recurrent = 0.5;
    const auto model = test::small_model(options);
    const test::Pairs pairs = test::three_pairs();
    const auto outputs = [&] {
      return model->decode(model->encode(pairs.source), pairs.target_input).outputs;
    };
    const torch::Tensor usual = outputs();
    model->train();
    const torch::Tensor dropped = outputs();
    EXPECT_THAT(dropped.select(1, 0), test::TensorNear(usual.select(1, 0), 1e-12))
        << type_name(unit);
    EXPECT_FALSE(torch::allclose(dropped, usual)) << type_name(unit);
  }
}

// E = C = 4 sets the inner size to 16.
TEST(TransformerEquations, LeaveOpenSizesToTheWidth) {
  ModelOptions options = test::transformer_options();
  options.embedding = 4;
  TransformerEncoderOptions& encoder = test::transformer_encoder(options);
  encoder.width = encoder.feed_forward = 0;
  encoder.heads = 2;
  const auto model = test::small_model(options);
  EXPECT_EQ(test::parameter(*model, "encoder.layer0.feed_forward.inner.weight").sizes(),
            (torch::IntArrayRef{16, 4}));
}

/// By name.
std::map<std::string, ModelOptions> masked_decoders() {
  std::map<std::string, ModelOptions> all;
  const auto add = [&](auto name, const auto& change) {
    change(
        test::transformer_decoder(all[std::string(enum_name(name))] = test::transformer_options()));
  };
  for (const PositionKind positions :
       {PositionKind::none, PositionKind::sinusoidal, PositionKind::learned, PositionKind::rotary,
        PositionKind::relative}) {
    add(positions, [&](auto& decoder) { decoder.positions = positions; });
  }
  for (const ScopeKind scope : {ScopeKind::local_m, ScopeKind::position_bias}) {
    add(scope, [&](auto& decoder) {
      decoder.layer_attention.scope = scope;
      decoder.layer_attention.window = 1;
    });
  }
  for (const DistributionKind distribution :
       {DistributionKind::sparsemax, DistributionKind::entmax15, DistributionKind::sigmoid}) {
    add(distribution, [&](auto& decoder) { decoder.layer_attention.distribution = distribution; });
  }
  for (const DecoderOptions& unit : test::unit_decoders()) {
    all[type_name(unit)] = test::transformer_options(RecurrentEncoderOptions(), unit);
  }
  return all;
}

TEST(CausalMask, LetsNoWordSeeALaterOne) {
  for (const auto& [name, options] : masked_decoders()) {
    const auto model = test::small_model(options);
    const Encoded encoded = model->encode(test::sentences({{4, 9, 10, 5, 3}}));
    const auto outputs = [&](const std::vector<text::TokenId>& words) {
      return model->decode(encoded, test::sentences({words})).outputs[0];
    };
    const torch::Tensor before = outputs({2, 8, 4, 6, 5, 7});
    for (int64_t changed = 1; changed < 6; ++changed) {
      std::vector<text::TokenId> words{2, 8, 4, 6, 5, 7};
      words[static_cast<std::size_t>(changed)] = 3;
      const torch::Tensor after = outputs(words);
      EXPECT_THAT(after.slice(0, 0, changed), TensorEq(before.slice(0, 0, changed))) << name;
      EXPECT_FALSE(torch::allclose(after[changed], before[changed]));
    }
  }
}

TEST(CausalMask, LetsNoGradientComeFromALaterWord) {
  const auto model = test::small_model(test::transformer_options());
  const Encoded encoded = model->encode(test::sentences({{4, 9, 3}}));
  const auto table = test::parameter(*model, "target_embedding.weight");
  table.requires_grad_();
  model->decode(encoded, test::sentences({{2, 8, 4, 6}})).outputs[0][1].sum().backward();
  const torch::Tensor reached = table.grad().abs().sum(1).gt(0);
  EXPECT_TRUE(reached[2].item<bool>() && reached[8].item<bool>());
  EXPECT_FALSE(reached[4].item<bool>() || reached[6].item<bool>());
}

// One cache is extended twice: the second extension must not see the words of the first.
TEST(TransformerState, IsAValueThatStepsLeaveAsItIs) {
  for (const DecoderOptions& decoder : test::stack_decoders()) {
    const auto model =
        test::small_model(test::transformer_options(TransformerEncoderOptions(), decoder));
    const Encoded encoded = model->encode(test::sentences({{4, 9, 3}}));
    const auto step = [&](text::TokenId word, const DecoderState& state) {
      return model->step(torch::tensor({word}, torch::kInt64), encoded.memories, state);
    };
    const DecoderState state = step(2, encoded.start).state;
    const torch::Tensor expected = step(7, step(5, state).state).logits;
    (void)step(8, step(6, state).state);
    EXPECT_THAT(step(7, step(5, state).state).logits, TensorEq(expected));
    EXPECT_EQ(encoded.start.tensors().size(), 0U);
  }
}

TEST(LayerDrop, LeavesOutAboutItsShareInTrainingOnly) {
  torch::manual_seed(5);
  int64_t kept = 0;
  for (int i = 0; i < 400; ++i) {
    for (const bool drawn : active_layers(5, 0.3, true)) kept += drawn ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(kept) / 2000, 0.7, 0.04);
  EXPECT_THAT(active_layers(5, 0.9, false), testing::Each(true));
  EXPECT_THAT(active_layers(3, 0.0, true), testing::Each(true));
}

TEST(LayerDrop, KeepsTheLayerThatAlignmentsAreReadFrom) {
  ModelOptions options = test::transformer_options();
  test::transformer_encoder(options).layer_drop = test::stack_decoder(options).layer_drop = 0.95;
  const auto model = test::small_model(options);
  const test::Pairs pairs = test::three_pairs();
  const auto usual = model->decode(model->encode(pairs.source), pairs.target_input).outputs;
  model->train();
  torch::manual_seed(5);
  for (int i = 0; i < 5; ++i) {
    const Decoded decoded = model->decode(model->encode(pairs.source), pairs.target_input);
    EXPECT_TRUE(decoded.weights.defined());
    EXPECT_FALSE(torch::allclose(decoded.outputs, usual));
  }
}

TEST(AlignmentLayer, ShowsTheAttentionOfThatLayer) {
  ModelOptions options = test::transformer_options();
  const test::Pairs pairs = test::three_pairs();
  const auto shown = [&](int64_t layer) {
    test::stack_decoder(options).alignment_layer = layer;
    const auto model = test::small_model(options);  // the same weights
    return model->decode(model->encode(pairs.source), pairs.target_input);
  };
  EXPECT_THAT(shown(0).heads, TensorEq(shown(2).heads));
  EXPECT_FALSE(torch::allclose(shown(1).heads, shown(2).heads));
  EXPECT_THAT(shown(1).outputs, TensorEq(shown(2).outputs));
  EXPECT_EQ(shown(1).heads.size(1), 4);
}

TEST(Transformer, TiesAllThreeMatrices) {
  ModelOptions options = test::transformer_options();
  options.tie = Tie::all;
  const Seq2Seq model(options, 9, 9);
  EXPECT_THAT(test::parameter_names(model),
              testing::AllOf(testing::Contains("target_embedding.weight"),
                             testing::Contains("output.projection.weight"),
                             testing::Not(testing::Contains("source_embedding.weight")),
                             testing::Not(testing::Contains("output.weight"))));
}

TEST(Transformer, HasFusedStepsToTheSourceOrSaysWhyNot) {
  ModelOptions options =
      test::transformer_options(TransformerEncoderOptions(), SsruDecoderOptions());
  const auto model = test::small_model(options);
  EXPECT_TRUE(model->steps_are_fused());
  EXPECT_FALSE(model->is_pointwise());
  EXPECT_THAT(model->plain_parts(), testing::IsEmpty());
  options.attention.score = ScoreKind::additive;
  options.attention.distribution = DistributionKind::entmax15;
  const auto plain = test::small_model(options);
  EXPECT_FALSE(plain->steps_are_fused());
  EXPECT_THAT(plain->plain_parts(),
              testing::ElementsAre("decoder (attention.score, attention.distribution)"));
}

// Regression: the reason given was "attention.distribution" although it was the temperature.
TEST(Transformer, NamesTheTemperatureThatKeepsItsAttentionPlain) {
  ModelOptions options =
      test::transformer_options(TransformerEncoderOptions(), SsruDecoderOptions());
  options.attention.temperature = 0.5;
  EXPECT_THAT(test::small_model(options)->plain_parts(),
              testing::ElementsAre("decoder (attention.temperature)"));
}

// Regression: the log did not name these settings and advised matrix units instead.
TEST(Transformer, NamesWhatKeepsItsSelfAttentionPlain) {
  ModelOptions options = test::transformer_options();
  EXPECT_THAT(test::small_model(options)->plain_parts(), testing::IsEmpty());
  test::transformer_encoder(options).layer_attention.score = ScoreKind::additive;
  test::transformer_decoder(options).layer_attention.distribution = DistributionKind::sparsemax;
  test::transformer_decoder(options).layer_attention.scope = ScopeKind::local_m;
  const auto plain = test::small_model(options);
  EXPECT_THAT(
      plain->plain_parts(),
      testing::ElementsAre("encoder (layer_attention.score)",
                           "decoder (layer_attention.distribution, layer_attention.scope)"));
  EXPECT_TRUE(plain->steps_are_fused()) << "the attention to the source is still fused";
  options = test::transformer_options();
  test::transformer_encoder(options).positions = test::stack_decoder(options).positions =
      PositionKind::relative;
  EXPECT_THAT(test::small_model(options)->plain_parts(),
              testing::ElementsAre("encoder (positions)", "decoder (positions)"));
}

/// Root mean square of the loss's gradient in one matrix of each layer of a stack.
std::vector<double> gradients_by_layer(NormPlace norm, int64_t layers) {
  ModelOptions options;
  options.embedding = 32;
  const TransformerOptions stack{.layers = layers, .heads = 4, .norm = norm};
  options.encoder = TransformerEncoderOptions{stack, {}};
  options.decoder = TransformerDecoderOptions{{stack}, {}};
  options.attention.heads = 4;
  options.attention.score = ScoreKind::scaled_dot;
  const auto model = test::small_model(options);
  initialize(*model, 3);
  test::mean_loss(*model, test::three_pairs()).backward();
  std::vector<double> sizes;
  for (const char* side : {"encoder", "decoder"}) {
    for (int64_t i = 0; i < layers; ++i) {
      const std::string name =
          std::string(side) + ".layer" + std::to_string(i) + ".feed_forward.outer.weight";
      sizes.push_back(test::parameter(*model, name).grad().square().mean().sqrt().item<double>());
    }
  }
  return sizes;
}

// Without depth scaling, a post-norm stack of 18 layers loses a factor of hundreds on the way down.
TEST(DepthScaledInitialisation, KeepsGradientsOfDeepStacksAlive) {
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    const std::vector<double> sizes = gradients_by_layer(norm, 18);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_GT(*least, *most / 100) << enum_name(norm);
  }
}

TEST(DepthScaledInitialisation, DividesByTheRootOfTheDepth) {
  ModelOptions options = test::transformer_options();
  TransformerEncoderOptions& encoder = test::transformer_encoder(options);
  encoder.layers = 4;
  encoder.feed_forward = encoder.width = 60;
  const auto model = test::small_model(options);
  initialize(*model, 3);
  const auto deviation = [&](const std::string& name) {
    return test::parameter(*model, name).square().mean().sqrt().item<double>();
  };
  const double first = deviation("encoder.layer0.feed_forward.inner.weight");
  EXPECT_NEAR(first, std::sqrt(2.0 / 120), 0.01);  // Glorot & Bengio
  EXPECT_NEAR(deviation("encoder.layer3.feed_forward.inner.weight"), first / 2, 0.01);
  EXPECT_NEAR(deviation("encoder.layer3.self_attention.heads.key.weight"), first / 2, 0.01);
}

}  // namespace
}  // namespace attend::model
