#include "model/output_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using test::f64;
using test::set_parameter;
using test::TensorEq;
using testing::UnorderedElementsAre;

/// V = 3, E = 2: rows (1 0), (0 1), (1 1).
std::shared_ptr<nn::Embedding> embedding() {
  auto made = std::make_shared<nn::Embedding>(3, 2);
  made->to(torch::kFloat64);
  set_parameter(*made, "weight", f64({1, 0, 0, 1, 1, 1}, {3, 2}));
  return made;
}

void set_bias(OutputLayer& layer) {
  layer.to(torch::kFloat64);
  set_parameter(layer, "bias", f64({10, 20, 30}, {3}));
}

TEST(OutputLayer, MultipliesByAMatrixOfItsOwn) {
  OutputLayer layer(2, 3);
  set_bias(layer);
  set_parameter(layer, "weight", f64({1, 2, 3, 4, 5, 6}, {3, 2}));
  EXPECT_THAT(layer.forward(f64({1, -1}, {1, 1, 2})), TensorEq(f64({9, 19, 29}, {1, 1, 3})));
}

TEST(OutputLayer, TiedMultipliesByTheEmbedding) {
  OutputLayer layer(2, embedding());
  set_bias(layer);
  EXPECT_THAT(layer.forward(f64({5, 7}, {1, 2})), TensorEq(f64({15, 27, 42}, {1, 3})));
  EXPECT_THAT(test::parameter_names(layer), testing::ElementsAre("bias"));
}

// The projection (1 0 0; 0 1 1) maps (5, 3, 4) to (5, 7).
TEST(OutputLayer, TiedProjectsStatesOfAnotherSizeFirst) {
  OutputLayer layer(3, embedding());
  set_bias(layer);
  set_parameter(layer, "projection.weight", f64({1, 0, 0, 0, 1, 1}, {2, 3}));
  EXPECT_THAT(layer.forward(f64({5, 3, 4}, {1, 3})), TensorEq(f64({15, 27, 42}, {1, 3})));
  EXPECT_THAT(test::parameter_names(layer), UnorderedElementsAre("bias", "projection.weight"));
}

}  // namespace
}  // namespace attend::model
