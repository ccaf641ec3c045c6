#include "nn/embedding.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::TensorEq;

TEST(Embedding, GivesEachIdItsRow) {
  Embedding embedding(3, 2);
  embedding.to(torch::kFloat64);
  test::set_parameter(embedding, "weight", f64({1, 2, 3, 4, 5, 6}, {3, 2}));
  const auto ids = torch::tensor({{2, 0}, {1, 2}}, torch::kInt64);
  EXPECT_THAT(embedding.forward(ids), TensorEq(f64({5, 6, 1, 2, 3, 4, 5, 6}, {2, 2, 2})));
}

TEST(Embedding, HandsOutEachDistinctWordOnce) {
  Embedding embedding(5, 2);
  test::randomize(embedding, 5);
  const auto ids = torch::tensor({{4, 1, 4}, {1, 1, 0}}, torch::kInt64);
  const IndexedRows words = embedding.distinct(ids);
  EXPECT_EQ(words.rows.size(0), 3);
  EXPECT_EQ(words.sizes(), (std::vector<int64_t>{2, 3, 2}));
  EXPECT_THAT(words.all(), TensorEq(embedding.forward(ids)));
  // The gradient of a word is the sum over its positions, even if the word is embedded only once.
  (words.all() * f64({1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32}, {2, 3, 2})).sum().backward();
  EXPECT_THAT(embedding.weight().grad(), TensorEq(f64({32, 32, 26, 26, 0, 0, 0, 0, 5, 5}, {5, 2})));
}

TEST(IndexedRows, AreTheVectorsThemselvesWithoutAnIndex) {
  const torch::Tensor vectors = f64({1, 2, 3, 4}, {1, 2, 2});
  const IndexedRows rows = vectors;
  EXPECT_EQ(rows.sizes(), vectors.sizes().vec());
  EXPECT_THAT(rows.all(), TensorEq(vectors));
}

TEST(Embedding, StartsNormalWithDeviationOneOverRootOfSize) {
  Embedding embedding(500, 16);
  embedding.initialize(at::detail::createCPUGenerator(2));
  EXPECT_NEAR(embedding.weight().std().item<double>(), 0.25, 0.01);
}

TEST(Embedding, GathersTheGradientsOfRepeatedIds) {
  Embedding embedding(3, 2);
  test::randomize(embedding, 5);
  embedding.forward(torch::tensor({2, 2, 0}, torch::kInt64)).sum().backward();
  EXPECT_THAT(embedding.weight().grad(), TensorEq(f64({1, 1, 0, 0, 2, 2}, {3, 2})));
}

}  // namespace
}  // namespace attend::nn
