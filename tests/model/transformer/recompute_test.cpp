// Layers recomputed in the backward pass give bitwise the same gradients.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "nn/drawing.h"
#include "nn/execution.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::DistributionKind;
using nn::Estimator;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;
using test::TensorEq;

struct RecomputeCase {
  std::string name;
  ModelOptions options;
};

ModelOptions dropping_options(const EncoderOptions& encoder, const DecoderOptions& decoder) {
  ModelOptions options = test::transformer_options(encoder, decoder);
  options.attention.heads = 2;
  options.dropout.embedding = options.dropout.layer = options.dropout.attention = 0.3;
  options.dropout.feed_forward = options.dropout.recurrent = 0.3;
  if (std::holds_alternative<TransformerEncoderOptions>(encoder)) {
    test::transformer_encoder(options).layers = 3;
    test::transformer_encoder(options).layer_drop = 0.3;
  }
  if (stack_of(decoder) != nullptr) {
    test::stack_decoder(options).layers = 3;
    test::stack_decoder(options).layer_drop = 0.3;
  }
  return options;
}

std::vector<RecomputeCase> recompute_cases() {
  std::vector<RecomputeCase> cases;
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    for (const DecoderOptions& decoder : test::all_decoders()) {
      ModelOptions options = dropping_options(TransformerEncoderOptions(), decoder);
      test::transformer_encoder(options).norm = norm;
      if (stack_of(decoder) != nullptr) test::stack_decoder(options).norm = norm;
      cases.push_back({fmt::format("transformer_{}_{}", type_name(decoder), norm), options});
    }
    for (const DecoderOptions& decoder : test::stack_decoders()) {
      ModelOptions options = dropping_options(RecurrentEncoderOptions(), decoder);
      test::stack_decoder(options).norm = norm;
      cases.push_back({fmt::format("recurrent_{}_{}", type_name(decoder), norm), options});
    }
  }
  const auto add = [&](const std::string& name, const auto& change) {
    ModelOptions options =
        dropping_options(TransformerEncoderOptions(), TransformerDecoderOptions());
    change(options);
    cases.push_back({name, options});
  };
  for (const ScoreKind score :
       {ScoreKind::dot, ScoreKind::additive, ScoreKind::coverage, ScoreKind::location_aware})
    add(std::string(enum_name(score)), [&](ModelOptions& o) { o.attention.score = score; });
  add("one_head", [](ModelOptions& o) { o.attention.heads = 1; });
  add("relative", [](ModelOptions& o) {
    test::transformer_encoder(o).positions = test::stack_decoder(o).positions =
        PositionKind::relative;
  });
  add("position_bias", [](ModelOptions& o) {
    o.attention.scope = test::transformer_encoder(o).layer_attention.scope =
        test::transformer_decoder(o).layer_attention.scope = ScopeKind::position_bias;
  });
  add("hard", [](ModelOptions& o) {
    o.attention.distribution = DistributionKind::hard;
    o.attention.estimator = Estimator::reinforce;
    o.dropout.attention = 0.0;
  });
  add("layer_below_shown", [](ModelOptions& o) { test::stack_decoder(o).alignment_layer = 1; });
  return cases;
}

class Recomputing : public testing::TestWithParam<RecomputeCase> {};

struct Outcome {
  torch::Tensor outputs;
  torch::Tensor gradient;  // of all parameters concatenated
};

torch::Tensor flat_gradients(const Seq2Seq& model) {
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& parameter : model.parameters()) {
    const torch::Tensor& gradient = parameter.grad();
    gradients.push_back(
        (gradient.defined() ? gradient.to_dense() : torch::zeros_like(parameter)).flatten());
  }
  return torch::cat(gradients);
}

/// Both passes of an update; the backward pass runs outside the scope of the forward pass.
Outcome train(Seq2Seq& model, const nn::Execution& execution) {
  const test::Pairs pairs = test::three_pairs();
  model.train();
  model.zero_grad();
  torch::Tensor outputs, objective;
  {
    const nn::ExecutionScope scope(execution);
    const nn::SeedScope seeds(11);
    const nn::LinesScope lines(torch::tensor({7, 5, 2}, torch::kInt64));
    const Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
    outputs = decoded.outputs * pairs.target_input.mask.unsqueeze(2);
    objective = outputs.pow(2).sum();
    if (decoded.drawn.log_prob.defined())
      objective = objective + decoded.drawn.log_prob.sum() + decoded.drawn.entropy.sum();
  }
  objective.backward();
  return {outputs.detach(), flat_gradients(model)};
}

TEST_P(Recomputing, ChangesNoBit) {
  const auto model = test::small_model(GetParam().options);
  for (const auto type : {torch::kFloat64, torch::kFloat32}) {
    model->to(type);
    for (const bool fused : {false, true}) {
      const nn::Execution execution{.fused = fused, .bf16 = fused};
      const Outcome expected = train(*model, execution);
      EXPECT_GT(expected.gradient.abs().max().item<double>(), 0.0);
      for (const bool attention : {true, false}) {  // false: recomputes the shown layer too
        nn::Execution again = execution;
        again.recompute = true;
        again.shown_weights = attention;
        const Outcome actual = train(*model, again);
        EXPECT_THAT(actual.outputs, TensorEq(expected.outputs)) << fused << attention << type;
        EXPECT_THAT(actual.gradient, TensorEq(expected.gradient)) << fused << attention << type;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Recomputing, testing::ValuesIn(recompute_cases()),
                         [](const auto& drawn) { return drawn.param.name; });

}  // namespace
}  // namespace attend::model
