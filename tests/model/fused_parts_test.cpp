// The parts that are fused, and the reasons given for parts that are not.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <set>

#include "model/recurrent/wiring_registry.h"
#include "nn/attention/registry.h"
#include "nn/execution.h"
#include "nn/rnn/cell.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/scored_model.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::DistributionKind;
using nn::ScopeKind;
using nn::ScoreKind;
using test::TensorNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Number of loops of fused kernels in the graph of a result.
int64_t loops_behind(const torch::Tensor& result) {
  std::set<torch::autograd::Node*> seen;
  std::vector<torch::autograd::Node*> waiting{result.grad_fn().get()};
  int64_t loops = 0;
  while (!waiting.empty()) {
    torch::autograd::Node* const node = waiting.back();
    waiting.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    if (node->name().find("LoopFunction") != std::string::npos) ++loops;
    for (const auto& edge : node->next_edges()) waiting.push_back(edge.function.get());
  }
  return loops;
}

struct Loops {
  int64_t decoding = 0;  // for a whole sequence, including the encoder
  int64_t stepping = 0;  // for one step
};

Loops loops_of(const Seq2Seq& model) {
  const test::Pairs pairs = test::three_pairs();
  const Encoded encoded = model.encode(pairs.source);
  return {
      loops_behind(model.decode(encoded, pairs.target_input).outputs),
      loops_behind(
          model.step(pairs.target_input.ids.select(1, 0), encoded.memories, encoded.start).logits)};
}

TEST(FusedParts, WhatCanBeFusedIsFused) {
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    for (const CellKind cell : enum_values<CellKind>()) {
      if (nn::cell_has_memory(cell)) continue;
      for (const ScoreKind score : enum_values<ScoreKind>()) {
        if (score == ScoreKind::deep) continue;
        ModelOptions options = test::small_options(wiring, cell);
        options.attention.score = score;
        options.attention.max_source_length = 9;
        test::recurrent_decoder(options).hidden =
            2 * test::recurrent_encoder(options).hidden;  // dot requires equal sizes
        const auto model = test::small_model(options);
        const std::string name = fmt::format("{} {} {}", wiring, cell, score);
        EXPECT_THAT(model->plain_parts(), IsEmpty()) << name;
        EXPECT_TRUE(model->steps_are_fused()) << name;
        EXPECT_EQ(loops_of(*model).decoding, 2) << name;
        EXPECT_EQ(loops_of(*model).stepping, 2) << name;
        const nn::ExecutionScope plain({.fused = false});
        EXPECT_FALSE(model->steps_are_fused()) << name;
        EXPECT_EQ(loops_of(*model).decoding, 0) << name;
        EXPECT_EQ(loops_of(*model).stepping, 0) << name;
      }
    }
  }
}

/// The plain parts of a model in training mode, after a change of its options.
template <class Change>
std::vector<std::string> plain_parts(const Change& change) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  change(options);
  const auto model = test::small_model(options);
  model->train();
  EXPECT_EQ(model->plain_parts().empty(), loops_of(*model).decoding == 2);
  return model->plain_parts();
}

TEST(FusedParts, NameTheSettingsThatKeepThemPlain) {
  EXPECT_THAT(plain_parts([](ModelOptions& options) {
                test::recurrent_encoder(options).cell = CellKind::ntm;
                test::recurrent_decoder(options).cell = CellKind::dnc;
              }),
              ElementsAre("encoder (cell)", "decoder (cell)"));
  EXPECT_THAT(plain_parts([](ModelOptions& options) {
                options.attention.score = ScoreKind::deep;
                options.attention.distribution = DistributionKind::hard;
              }),
              ElementsAre("decoder (attention.score, attention.distribution)"));
  EXPECT_THAT(plain_parts([](ModelOptions& options) { options.attention.per_feature = true; }),
              ElementsAre("decoder (attention.per_feature)"));
}

// Without input feeding the recurrent layers do not depend on the attention.
TEST(FusedParts, LayersBelowAPlainAttentionAreFusedWhereItFeedsNothingBack) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::gru);
  options.attention.score = ScoreKind::deep;
  EXPECT_EQ(loops_of(*test::small_model(options)).decoding, 1);  // the encoder's
  test::recurrent_decoder(options).input_feeding = false;
  EXPECT_EQ(loops_of(*test::small_model(options)).decoding, 2);
}

TEST(FusedParts, DoNotMindDropoutHeadsAndNorms) {
  EXPECT_THAT(plain_parts([](ModelOptions& options) {
                test::recurrent_encoder(options).layer_norm =
                    test::recurrent_decoder(options).layer_norm = true;
                options.attention.score = ScoreKind::coverage;
                options.attention.distribution = DistributionKind::sparsemax;
                options.attention.scope = ScopeKind::local_m;
                options.attention.heads = 2;
                options.dropout.attention = 0.1;
              }),
              IsEmpty());
}

TEST(FusedParts, OnlyAnAttentionThatSeesPositionsOneByOneIsPointwise) {
  const auto is_pointwise = [](auto change) {
    ModelOptions options = test::small_options(WiringKind::conditional, CellKind::gru);
    options.attention.window = 1;
    options.attention.max_source_length = 9;
    change(options);
    return test::small_model(options)->is_pointwise();
  };
  EXPECT_TRUE(is_pointwise([](ModelOptions&) {}));
  EXPECT_TRUE(is_pointwise(
      [](ModelOptions& o) { o.attention.distribution = DistributionKind::sparsemax; }));
  EXPECT_TRUE(is_pointwise([](ModelOptions& o) { test::recurrent_decoder(o).layer_norm = true; }))
      << "not fused";
  EXPECT_FALSE(is_pointwise([](ModelOptions& o) { o.attention.score = ScoreKind::location; }));
  EXPECT_FALSE(is_pointwise([](ModelOptions& o) { o.attention.score = ScoreKind::coverage; }));
  EXPECT_FALSE(is_pointwise([](ModelOptions& o) { o.attention.scope = ScopeKind::position_bias; }));
  EXPECT_FALSE(is_pointwise([](ModelOptions& o) { o.attention.heads = 2; }));
  EXPECT_FALSE(
      is_pointwise([](ModelOptions& o) { test::recurrent_decoder(o).wiring = WiringKind::none; }));
}

std::shared_ptr<Seq2Seq> model_with_history() {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  const nn::ScoreSizes sizes{test::recurrent_decoder(options).hidden,
                             2 * test::recurrent_encoder(options).hidden};
  auto model = test::model_with_score(options, test::kSourceVocabulary, test::kTargetVocabulary,
                                      std::make_shared<test::HistoryScore>(sizes));
  test::randomize(*model, 3);
  model->eval();
  return model;
}

TEST(AFusedScoreWithABiasAndHistory, ComputesWhatThePlainOneDoes) {
  const auto model = model_with_history();
  EXPECT_EQ(loops_of(*model).decoding, 2);
  const test::Pairs pairs = test::three_pairs();
  const auto run = [&](bool fused) {
    const nn::ExecutionScope scope({.fused = fused});
    model->zero_grad();
    test::mean_loss(*model, pairs).backward();
    std::vector<torch::Tensor> gradients;
    for (const torch::Tensor& parameter : model->parameters()) {
      gradients.push_back(parameter.grad().clone());
    }
    return gradients;
  };
  const auto plain = run(false), fused = run(true);
  const auto names = test::parameter_names(*model);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_THAT(fused[i], TensorNear(plain[i], 1e-11)) << names[i];
  }
}

TEST(AFusedScoreWithABiasAndHistory, StepsAsItDecodes) {
  const auto model = model_with_history();
  const test::Pairs pairs = test::three_pairs();
  const Encoded encoded = model->encode(pairs.source);
  const torch::Tensor expected = model->decode(encoded, pairs.target_input).weights;
  EXPECT_TRUE(model->steps_are_fused());
  for (const bool fused : {true, false}) {
    const nn::ExecutionScope scope({.fused = fused});
    DecoderState state = encoded.start;
    for (int64_t t = 0; t < 2; ++t) {  // all three targets have two words
      const Predicted step =
          model->step(pairs.target_input.ids.select(1, t), encoded.memories, state);
      EXPECT_THAT(step.weights, TensorNear(expected.select(1, t), 1e-12)) << "step " << t;
      state = step.state;
    }
  }
}

/// e_s = -|q - k_s|^2: a minimal score, without support for loops.
class DistanceScore final : public nn::AttentionScore {
 public:
  [[nodiscard]] torch::Tensor prepare(const nn::Memory& memory) const override {
    return memory.keys;
  }
  [[nodiscard]] torch::Tensor energy(const torch::Tensor& query, const nn::PreparedMemory& memory,
                                     const nn::AttentionState&) const override {
    return -(query.unsqueeze(2) - memory.keys.unsqueeze(1)).pow(2).sum(3);
  }
  void initialize(const at::Generator&) override {}
};

TEST(AScoreWithoutAFusedForm, IsComputedPlain) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::gru);
  test::recurrent_decoder(options).hidden = 2 * test::recurrent_encoder(options).hidden;
  const auto model = test::model_with_score(
      options, test::kSourceVocabulary, test::kTargetVocabulary, std::make_shared<DistanceScore>());
  test::randomize(*model, 3);
  EXPECT_THAT(model->plain_parts(), ElementsAre("decoder (attention.score)"));
  EXPECT_EQ(loops_of(*model).decoding, 1) << "the encoder's";
  EXPECT_EQ(loops_of(*model).stepping, 1);
  const auto loss = [&] { return test::mean_loss(*model, test::three_pairs()); };
  EXPECT_LT(test::max_directional_error(loss, test::leaves(*model)), 1e-6);
}

}  // namespace
}  // namespace attend::model
