#include "decode/attention/saliency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/decode/small_pairs.h"
#include "tests/support/tensors.h"

namespace attend::decode {
namespace {

using model::WiringKind;
using test::Sentences;
using test::small_model;
using test::small_options;
using test::small_sources;
using test::small_targets;
using test::TensorEq;
using test::TensorNear;
using ::testing::SizeIs;
using Maps = std::vector<torch::Tensor>;

struct Case {
  std::string name;
  model::ModelOptions options;
};

void PrintTo(const Case& model_case, std::ostream* out) {
  *out << model_case.name;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const WiringKind wiring : enum_values<WiringKind>())
    cases.push_back({std::string(enum_name(wiring)), small_options(wiring)});
  cases.push_back({"luong_without_feeding", small_options(WiringKind::luong)});
  std::get<model::RecurrentDecoderOptions>(cases.back().options.decoder).input_feeding = false;
  cases.push_back({"none_reversed_and_repeated", small_options(WiringKind::none)});
  auto& repeating = std::get<model::RecurrentEncoderOptions>(cases.back().options.encoder);
  repeating.reverse_source = true;
  repeating.repeat_source = 2;
  cases.push_back({"none_deep", small_options(WiringKind::none)});
  std::get<model::RecurrentEncoderOptions>(cases.back().options.encoder).layers = 2;
  return cases;
}

Maps saliency_maps(const model::Seq2Seq& model, const SaliencyOptions& options = {}) {
  return saliency(model, data::pad(small_sources()), small_targets(), std::vector<int64_t>{0, 1, 2},
                  options);
}

/// Log-probabilities of the target's tokens and kEos, [T + 1] float64.
torch::Tensor log_probs(const model::Seq2Seq& model, std::size_t pair) {
  const torch::NoGradGuard no_grad;
  std::vector<text::TokenId> input = small_targets()[pair], words = small_targets()[pair];
  input.insert(input.begin(), text::kBos);
  words.push_back(text::kEos);
  const auto encoded = model.encode(data::pad(Sentences{small_sources()[pair]}));
  const auto outputs = model.decode(encoded, data::pad(Sentences{input})).outputs;
  const auto ids = data::pad(Sentences{words}).ids.view({-1, 1});
  return model.logits(outputs.squeeze(0)).log_softmax(1).gather(1, ids).squeeze(1);
}

/// Computes the definition by central differences along each element of each source word's vector.
torch::Tensor expected_saliency(const model::Seq2Seq& model, std::size_t pair) {
  constexpr double kStep = 1e-5;
  const torch::NoGradGuard no_grad;
  const torch::Tensor vectors = test::parameter(model, "source_embedding.weight");  // [V, E]
  std::vector<torch::Tensor> columns;
  for (const text::TokenId word : small_sources()[pair]) {
    torch::Tensor column = torch::zeros({log_probs(model, pair).size(0)}, torch::kFloat64);
    for (int64_t e = 0; e < vectors.size(1); ++e) {
      torch::Tensor element = vectors[word][e];
      const double value = element.item<double>();
      element.fill_(value + kStep);
      const torch::Tensor above = log_probs(model, pair);
      element.fill_(value - kStep);
      const torch::Tensor below = log_probs(model, pair);
      element.fill_(value);
      column += (value * (above - below) / (2 * kStep)).abs();
    }
    columns.push_back(column);
  }
  const torch::Tensor map = torch::stack(columns, 1);  // [T + 1, S]
  return map / map.sum(1, /*keepdim=*/true);
}

class Saliency : public testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<model::Seq2Seq> model_ = small_model(GetParam().options);
};

TEST_P(Saliency, EqualsItsDefinitionByCentralDifferences) {
  const Maps maps = saliency_maps(*model_);
  ASSERT_THAT(maps, SizeIs(3));
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    EXPECT_THAT(maps[pair].to(torch::kFloat64), TensorNear(expected_saliency(*model_, pair), 1e-6))
        << "pair " << pair;
  }
}

TEST_P(Saliency, IsTheSameInABatchAsOneByOne) {
  for (const int64_t samples : {0, 2}) {
    const SaliencyOptions options{.samples = samples};
    const Maps together = saliency_maps(*model_, options);
    for (std::size_t pair = 0; pair < together.size(); ++pair) {
      const auto alone = saliency(*model_, data::pad(Sentences{small_sources()[pair]}),
                                  Sentences{small_targets()[pair]},
                                  std::vector{static_cast<int64_t>(pair)}, options);
      EXPECT_THAT(together[pair], TensorNear(alone.front(), 1e-6)) << "pair " << pair;
    }
  }
}

TEST_P(Saliency, HasARowPerTargetTokenThatSumsToOne) {
  const Maps maps = saliency_maps(*model_, {.samples = 2});
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    const auto rows = static_cast<int64_t>(small_targets()[pair].size()) + 1;
    ASSERT_EQ(maps[pair].sizes().vec(),
              (std::vector{rows, static_cast<int64_t>(small_sources()[pair].size())}));
    EXPECT_THAT(maps[pair].sum(1), TensorNear(torch::ones({rows}), 1e-6));
    EXPECT_GE(maps[pair].min().item<float>(), 0.0F);
  }
}

TEST_P(Saliency, LeavesTheGradientsOfTheParametersAlone) {
  for (torch::Tensor& parameter : model_->parameters())
    parameter.mutable_grad() = torch::full_like(parameter, 0.5);
  (void)saliency_maps(*model_);
  for (const torch::Tensor& parameter : model_->parameters())
    EXPECT_THAT(parameter.grad(), TensorEq(torch::full_like(parameter, 0.5)));
}

TEST_P(Saliency, OfTheTargetsOwnWordsIsThatOfWords) {
  const Maps maps = saliency_maps(*model_);
  for (std::size_t pair = 0; pair < maps.size(); ++pair) {
    std::vector<text::TokenId> source = small_sources()[pair], words = small_targets()[pair];
    source.pop_back();
    words.push_back(text::kEos);
    EXPECT_THAT(saliency_of_words(*model_, source, small_targets()[pair], words),
                TensorNear(maps[pair], 1e-6));
    EXPECT_THAT(saliency_of_word(*model_, source, small_targets()[pair], text::kEos),
                TensorNear(maps[pair][-1], 1e-6));
  }
}

// The prefix of a word is the same if only the last word differs.
TEST_P(Saliency, OfAnotherWordIsThatOfATargetWithThisWord) {
  const std::vector<text::TokenId> source = {4, 9, 10, 5}, target = {8, 4}, other = {8, 7};
  const auto expected = saliency(*model_, data::frame_sources({source}), Sentences{other},
                                 std::vector<int64_t>{0}, {})
                            .front();
  const torch::Tensor map =
      saliency_of_words(*model_, source, target, std::vector<text::TokenId>{8, 7, 5});
  EXPECT_THAT(map.slice(0, 0, 2), TensorNear(expected.slice(0, 0, 2), 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Wirings, Saliency, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

/// A model whose predictions read the source only through the mean of u(x[s]), where the number
/// x[s] is the embedding of a source word:
///   - LSTM gates are open (input, output) or shut (forget), so the encoder's output is
///     u(x) = tanh(tanh(x)) of the current word;
///   - energies are all 0, and the first state is 0.
/// Hence d log p(y[t]) / d x[s] = c[t] u'(x[s]), and c[t] cancels within the row.
std::shared_ptr<model::Seq2Seq> mean_reader(const std::vector<double>& values) {
  model::ModelOptions options = small_options(WiringKind::luong);
  auto& encoder = std::get<model::RecurrentEncoderOptions>(options.encoder);
  options.embedding = encoder.hidden = 1;
  encoder.bidirectional = false;
  std::get<model::RecurrentDecoderOptions>(options.decoder).bridge = model::BridgeKind::zero;
  auto made = small_model(options);
  constexpr double kOpen = 1e3;
  test::set_parameter(*made, "encoder.layer0_forward.input_weight",
                      test::f64({0, 0, 1, 0}, {4, 1}));  // i, f, g, o
  test::set_parameter(*made, "encoder.layer0_forward.recurrent_weight",
                      torch::zeros({4, 1}, torch::kFloat64));
  test::set_parameter(*made, "encoder.layer0_forward.bias",
                      test::f64({kOpen, -kOpen, 0, kOpen}, {4}));
  test::set_parameter(*made, "decoder.attention.score.vector", torch::zeros({7}, torch::kFloat64));
  torch::Tensor vectors = torch::zeros({11, 1}, torch::kFloat64);
  for (std::size_t i = 0; i < values.size(); ++i)
    vectors[static_cast<int64_t>(i) + text::kEos][0] = values[i];
  test::set_parameter(*made, "source_embedding.weight", vectors);
  return made;
}

torch::Tensor map_of(const model::Seq2Seq& model, const SaliencyOptions& options) {
  const Sentences source = {{4, 5, 6, 3}}, target = {{7, 8}};
  return saliency(model, data::pad(source), target, std::vector<int64_t>{12}, options).front();
}

TEST(SaliencyByHand, IsTheSlopeTimesTheValueWhereTheModelReadsAMean) {
  const std::vector<double> values = {0.25, 0.5, -1.0, 2.0};          // </s>, then words 4, 5, 6
  const torch::Tensor x = test::f64({0.5, -1.0, 2.0, 0.25}, {1, 4});  // in the source's order
  const torch::Tensor slope = (1 - x.tanh().tanh().square()) * (1 - x.tanh().square());
  const torch::Tensor row = (x * slope).abs();
  EXPECT_THAT(map_of(*mean_reader(values), {}).to(torch::kFloat64),
              TensorNear((row / row.sum()).expand({3, 4}), 1e-6));
}

TEST(SaliencyByHand, IsTheShareOfAWordInALinearModel) {
  // Close enough to 0 that u(x) = x: shares |x| / sum |x|.
  const auto model = mean_reader({2e-5, 1e-5, -3e-5, 4e-5});
  const torch::Tensor row = torch::tensor({0.1F, 0.3F, 0.4F, 0.2F}).expand({3, 4});
  EXPECT_THAT(map_of(*model, {}), TensorNear(row, 1e-6));
}

TEST(SaliencyWithNoise, AveragesTheMapsOfNoisyVectors) {
  // Linear as above, x = (0, 1, 1, 1) * 1e-5, so max - min = 1e-5. With noise of deviation 0.3e-5
  // the mean of |x| is 0.3e-5 sqrt(2 / pi) for the first word, and 1e-5 (within a part in 10^4,
  // the folded normal distribution) for the others.
  const auto model = mean_reader({1e-5, 0.0, 1e-5, 1e-5});
  const double first = 0.3 * std::sqrt(2 / M_PI);
  const torch::Tensor map = map_of(*model, {.samples = 250, .sigma = 0.3});
  EXPECT_NEAR(map[0][0].item<double>(), first / (first + 3), 0.01);
  EXPECT_NEAR(map[0][3].item<double>(), 1 / (first + 3), 0.016);
}

TEST(SaliencyWithNoise, FollowsSeedAndSentence) {
  const auto model = small_model(small_options(WiringKind::luong));
  const auto first_map = [&](uint64_t seed, int64_t sentence) {
    return saliency(*model, data::pad(Sentences{small_sources()[0]}), Sentences{small_targets()[0]},
                    std::vector{sentence}, {.samples = 1, .sigma = 0.3, .seed = seed})
        .front();
  };
  EXPECT_THAT(first_map(1, 5), TensorEq(first_map(1, 5)));
  EXPECT_FALSE(torch::allclose(first_map(1, 5), first_map(2, 5), 1e-3, 1e-3));
  EXPECT_FALSE(torch::allclose(first_map(1, 5), first_map(1, 6), 1e-3, 1e-3));
}

TEST(SaliencyWithNoise, IsThePlainMapWithoutDeviation) {
  const auto model = small_model(small_options(WiringKind::luong));
  const Maps plain = saliency_maps(*model);
  const Maps noisy = saliency_maps(*model, {.samples = 3, .sigma = 0.0});
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_THAT(noisy[i], TensorNear(plain[i], 1e-6));
}

TEST(SaliencyInFloat, IsExactForWordsOfWhichTheModelIsSure) {
  const auto exact = small_model(small_options(WiringKind::luong));
  const torch::NoGradGuard no_grad;
  test::parameter(*exact, "output.bias")[text::kEos] += 40.0;
  ASSERT_EQ(log_probs(*exact, 0).exp()[1].to(torch::kFloat).item<float>(), 1.0F);
  const Maps expected = saliency_maps(*exact);
  exact->to(torch::kFloat);
  const Maps found = saliency_maps(*exact);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_THAT(found[i], TensorNear(expected[i], 1e-4)) << "pair " << i;
  }
}

TEST(SaliencyErrors, ATrainingModelAndUnequalSizesAreBugs) {
  const auto model = small_model(small_options(WiringKind::luong));
  const auto call = [&](int64_t numbers) {
    return saliency(*model, data::pad(small_sources()), small_targets(),
                    std::vector<int64_t>(static_cast<std::size_t>(numbers)), {});
  };
  EXPECT_THROW((void)call(2), std::logic_error);
  model->train();
  EXPECT_THROW((void)call(3), std::logic_error);
}

}  // namespace
}  // namespace attend::decode
