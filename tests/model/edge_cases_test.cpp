// Extreme inputs must give finite results for transformers, and for every wiring with every score,
// distribution and scope, with fused kernels and with plain LibTorch.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>

#include "model/recurrent/wiring_registry.h"
#include "nn/attention/registry.h"
#include "nn/execution.h"
#include "nn/loss.h"
#include "tests/model/small_models.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::DistributionKind;
using nn::PositionKind;
using nn::ScopeKind;
using nn::ScoreKind;

constexpr int64_t kLongest = 101;  // data.max_length plus the end symbol

struct Case {
  std::string name;
  ModelOptions options;
};

void PrintTo(const Case& model_case, std::ostream* out) {
  *out << model_case.name;
}

ModelOptions attending(WiringKind wiring) {
  ModelOptions options = test::small_options(wiring, CellKind::gru);
  test::recurrent_decoder(options).hidden =
      2 * test::recurrent_encoder(options).hidden;  // dot requires equal sizes
  options.attention.max_source_length = kLongest;
  options.dropout = {0.1, 0.1, 0.1, 0.0, 0.1, 0.0, {}};
  return options;
}

void add_cases(std::vector<Case>& cases, WiringKind wiring) {
  for (const ScoreKind name : enum_values<ScoreKind>()) {
    cases.push_back({fmt::format("{}_{}", wiring, name), attending(wiring)});
    cases.back().options.attention.score = name;
    if (name != ScoreKind::location) cases.back().options.attention.max_source_length = 0;
  }
  for (const DistributionKind name : enum_values<DistributionKind>()) {
    cases.push_back({fmt::format("{}_{}", wiring, name), attending(wiring)});
    cases.back().options.attention.distribution = name;
  }
  for (const ScopeKind name : enum_values<ScopeKind>()) {
    cases.push_back({fmt::format("{}_{}", wiring, name), attending(wiring)});
    cases.back().options.attention.scope = name;
    cases.back().options.attention.window = 2;
  }
  cases.push_back({fmt::format("{}_heads", wiring), attending(wiring)});
  cases.back().options.attention.heads = 2;
}

void add_transformers(std::vector<Case>& cases) {
  for (const PositionKind positions : {PositionKind::sinusoidal, PositionKind::learned,
                                       PositionKind::rotary, PositionKind::relative}) {
    cases.push_back({fmt::format("transformer_{}", positions), test::transformer_options()});
    test::transformer_encoder(cases.back().options).positions =
        test::stack_decoder(cases.back().options).positions = positions;
  }
  for (const DistributionKind name : enum_values<DistributionKind>()) {
    if (name == DistributionKind::hard) continue;
    cases.push_back({fmt::format("transformer_{}", name), test::transformer_options()});
    test::transformer_encoder(cases.back().options).layer_attention.distribution = name;
    test::transformer_decoder(cases.back().options).layer_attention.distribution = name;
    cases.back().options.attention.distribution = name;
  }
  for (const DecoderOptions& unit : test::unit_decoders()) {
    cases.push_back({"transformer_to_" + type_name(unit),
                     test::transformer_options(TransformerEncoderOptions(), unit)});
  }
  cases.push_back({"transformer_to_luong", test::transformer_options(TransformerEncoderOptions(),
                                                                     RecurrentDecoderOptions())});
  for (Case& model_case : cases) model_case.options.dropout = {0.1, 0.1, 0.0, 0.1, 0.1, 0.1, {}};
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_transformers(cases);
  for (const WiringKind wiring : enum_values<WiringKind>()) {
    if (!wiring_attends(wiring)) {
      cases.push_back(
          {std::string(enum_name(wiring)), test::small_options(wiring, CellKind::lstm)});
    } else {
      add_cases(cases, wiring);
    }
  }
  return cases;
}

/// Sources with end symbols; the targets have the same words, but at most `longest_target`.
test::Pairs pairs_of(const std::vector<std::vector<text::TokenId>>& sources,
                     std::size_t longest_target = kLongest) {
  std::vector<std::vector<text::TokenId>> inputs = sources;
  for (auto& input : inputs) {
    input.resize(std::min(input.size(), longest_target));
    for (text::TokenId& token : input) token = token % test::kTargetVocabulary;
    input.insert(input.begin(), text::kBos);
    input.pop_back();
  }
  std::vector<std::vector<text::TokenId>> outputs = inputs;
  for (auto& output : outputs) {
    output.erase(output.begin());
    output.push_back(text::kEos);
  }
  return {test::sentences(sources), test::sentences(inputs), test::sentences(outputs).ids};
}

/// The second row is all padding on both sides.
test::Pairs with_a_row_of_padding() {
  test::Pairs pairs = pairs_of({{4, 9, 10, 3}, {5, 6, text::kEos}});
  pairs.source.ids[1].fill_(text::kPad);
  pairs.source.mask[1].fill_(false);
  pairs.target_input.ids[1].fill_(text::kPad);
  pairs.target_input.mask[1].fill_(false);
  return pairs;
}

std::vector<text::TokenId> longest_sentence() {
  std::vector<text::TokenId> sentence(kLongest, 4);
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    sentence[i] = text::kSpecialSymbols + static_cast<text::TokenId>(i % 5);
  }
  sentence.back() = text::kEos;
  return sentence;
}

bool is_finite(const torch::Tensor& x) {
  return x.isfinite().all().item<bool>();
}

class EdgeCases : public testing::TestWithParam<Case> {
 protected:
  /// Trains and decodes on `pairs` and checks all results.
  void expect_finite(const test::Pairs& pairs) const {
    for (const bool fused : {true, false}) {
      SCOPED_TRACE(fused ? "fused" : "plain");
      const nn::ExecutionScope scope({fused, false});
      const auto model = test::small_model(GetParam().options);
      model->to(torch::kFloat32);
      model->train();
      expect_finite_gradients(*model, pairs);
      model->eval();
      expect_finite_steps(*model, pairs);
    }
  }

 private:
  static void expect_finite_gradients(Seq2Seq& model, const test::Pairs& pairs) {
    const Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
    EXPECT_TRUE(is_finite(decoded.outputs));
    if (decoded.weights.defined()) {
      EXPECT_TRUE(is_finite(decoded.weights));
    }
    const torch::Tensor targets = pairs.target_output.masked_select(pairs.target_input.mask);
    const nn::CrossEntropy loss = model.loss(
        nn::real_positions(decoded.outputs, pairs.target_input.mask), targets, /*smoothing=*/0.1);
    EXPECT_TRUE(is_finite(loss.objective));
    loss.objective.backward();
    for (const auto& item : model.named_parameters()) {
      const torch::Tensor gradient = item.value().grad();
      EXPECT_TRUE(!gradient.defined() || is_finite(gradient)) << item.key();
    }
  }

  static void expect_finite_steps(const Seq2Seq& model, const test::Pairs& pairs) {
    const torch::NoGradGuard no_grad;
    const Encoded encoded = model.encode(pairs.source);
    DecoderState state = encoded.start;
    for (int64_t t = 0; t < std::min<int64_t>(pairs.target_input.ids.size(1), 3); ++t) {
      const Predicted step =
          model.step(pairs.target_input.ids.select(1, t), encoded.memories, state);
      EXPECT_TRUE(is_finite(step.logits)) << "step " << t;
      if (step.weights.defined()) {
        EXPECT_TRUE(is_finite(step.weights)) << "step " << t;
      }
      state = step.state;
    }
  }
};

// There is little to attend to: the end symbol alone, or one word and the end symbol.
TEST_P(EdgeCases, OneTokenAloneIsFinite) {
  expect_finite(pairs_of({{text::kEos}}));
  expect_finite(pairs_of({{5, text::kEos}}));
}

TEST_P(EdgeCases, ARowOfPaddingIsFinite) {
  expect_finite(with_a_row_of_padding());
}

// Long targets are slow, so each wiring tests them with one attention only.
TEST_P(EdgeCases, TheLongestSentenceIsFinite) {
  const std::string& name = GetParam().name;
  const bool usual = name.ends_with("_softmax") || name == "none" || name == "answer";
  expect_finite(pairs_of({{5, text::kEos}, longest_sentence()}, usual ? kLongest : 5));
}

INSTANTIATE_TEST_SUITE_P(Registry, EdgeCases, testing::ValuesIn(all_cases()),
                         [](const auto& test_case) { return test_case.param.name; });

}  // namespace
}  // namespace attend::model
