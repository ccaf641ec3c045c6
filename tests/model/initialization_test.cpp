#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "storage/weights_file.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using nn::ScoreKind;
using test::TensorEq;
using test::TensorNear;
using testing::EndsWith;
using testing::HasSubstr;

std::map<std::string, torch::Tensor> initialized(const ModelOptions& options, uint64_t seed,
                                                 uint64_t before = 3) {
  const auto model = test::small_model(options, before);
  initialize(*model, seed);
  return storage::weights_of(*model);
}

ModelOptions everything() {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  test::recurrent_encoder(options).layer_norm = true;
  test::recurrent_decoder(options).layers = 2;
  options.attention.normalized = true;
  return options;
}

TEST(Initialize, DependsOnTheSeedAlone) {
  const auto first = initialized(everything(), 1, /*before=*/3);
  const auto second = initialized(everything(), 1, /*before=*/4);
  ASSERT_GT(first.size(), 20U);
  for (const auto& [name, values] : first) EXPECT_THAT(second.at(name), TensorEq(values)) << name;
}

TEST(Initialize, DiffersForAnotherSeedInEveryMatrix) {
  const auto first = initialized(everything(), 1);
  const auto second = initialized(everything(), 2);
  for (const auto& [name, values] : first) {
    if (values.dim() == 2) {
      EXPECT_FALSE(torch::allclose(second.at(name), values)) << name;
    }
  }
}

TEST(Initialize, GivesEachBlockNumbersOfItsOwn) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::gru);
  test::recurrent_encoder(options).bidirectional = true;
  const auto weights = initialized(options, 1);
  EXPECT_FALSE(torch::allclose(weights.at("encoder.layer0_forward.input_weight"),
                               weights.at("encoder.layer0_backward.input_weight")));
}

TEST(Initialize, LeavesOtherBlocksAloneWhenOneIsAdded) {
  ModelOptions larger = everything();
  test::recurrent_encoder(larger).layers = 2;
  larger.attention.score = ScoreKind::general;
  const auto before = initialized(everything(), 1);
  const auto after = initialized(larger, 1);
  for (const char* name :
       {"encoder.layer0_backward.recurrent_weight", "decoder.stack.layer1.input_weight",
        "target_embedding.weight", "output.weight", "bridge.layer0_hidden.weight"}) {
    EXPECT_THAT(after.at(name), TensorEq(before.at(name))) << name;
  }
}

TEST(Initialize, SetsForgetBiasesToOneAndOtherBiasesToZero) {
  const auto weights = initialized(everything(), 1);
  for (const auto& [name, values] : weights) {
    if (!testing::Matches(EndsWith("bias"))(name)) continue;
    auto expected = torch::zeros_like(values);
    const bool cell = values.size(0) % 4 == 0 &&
                      weights.contains(name.substr(0, name.size() - 4) + "recurrent_weight");
    if (cell) expected.view({4, -1})[1].fill_(1.0);
    EXPECT_THAT(values, TensorEq(expected)) << name;
  }
}

TEST(Initialize, MakesEveryRecurrentMatrixOrthogonal) {
  int seen = 0;
  for (const auto& [name, values] : initialized(everything(), 1)) {
    if (!testing::Matches(HasSubstr("recurrent_weight"))(name)) continue;
    ++seen;
    const auto identity = torch::eye(values.size(1), torch::kFloat64);
    for (const torch::Tensor& gate : values.chunk(4, 0)) {
      EXPECT_THAT(at::mm(gate, gate.t()), TensorNear(identity, 1e-12)) << name;
    }
  }
  EXPECT_EQ(seen, 4);  // two directions, two decoder layers
}

}  // namespace
}  // namespace attend::model
