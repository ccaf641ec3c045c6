#include "decode/attention/contributions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <stdexcept>
#include <string>

#include "tests/decode/small_pairs.h"
#include "tests/support/tensors.h"

namespace attend::decode {
namespace {

using test::small_model;
using test::small_options;
using test::small_sources;
using test::small_targets;
using test::TensorNear;

/// A Transformer decoder of three layers that shows the second, over a recurrent encoder.
std::shared_ptr<model::Seq2Seq> transformer() {
  model::ModelOptions options = small_options(model::WiringKind::luong);
  auto& decoder = options.decoder.emplace<model::TransformerDecoderOptions>();
  decoder.width = 8;
  decoder.heads = 2;
  decoder.layers = 3;
  decoder.alignment_layer = 2;
  options.attention.heads = 4;
  options.attention.score = nn::ScoreKind::scaled_dot;
  return small_model(options);
}

/// The definition, one position and head after another: the norm of weight * W^O v for the part of
/// W^O that reads the head.
torch::Tensor expected_norms(const model::Seq2Seq& model, std::size_t pair, std::size_t layer) {
  const torch::NoGradGuard no_gradients;
  const auto source = data::pad(test::Sentences{small_sources()[pair]});
  const auto input = data::frame_targets({small_targets()[pair]}).input;
  const torch::Tensor weights =
      model.trace(source, input).decoding.cross[layer][0];  // [heads, T, S]
  const torch::Tensor values = model.encode(source).memories[layer].values[0];
  const torch::Tensor output =
      test::parameter(const_cast<model::Seq2Seq&>(model),
                      "decoder.layer" + std::to_string(layer) + ".attention.heads.output.weight");
  const int64_t heads = weights.size(0), features = values.size(2);
  torch::Tensor norms =
      torch::zeros({1 + heads, weights.size(1), weights.size(2)}, torch::kFloat64);
  for (int64_t t = 0; t < weights.size(1); ++t) {
    for (int64_t s = 0; s < weights.size(2); ++s) {
      torch::Tensor sum = torch::zeros({output.size(0)}, torch::kFloat64);
      for (int64_t h = 0; h < heads; ++h) {
        const torch::Tensor added =
            torch::mv(output.narrow(1, h * features, features), values[h][s] * weights[h][t][s]);
        norms[1 + h][t][s] = added.norm();
        sum += added;
      }
      norms[0][t][s] = sum.norm();
    }
  }
  return norms / norms.sum(2, /*keepdim=*/true);
}

TEST(Contributions, AreTheSharesOfNormsOfEachLayerInABatch) {
  const auto model = transformer();
  const auto found = contributions(*model, data::pad(small_sources()), small_targets());
  ASSERT_EQ(found.size(), 3);
  for (std::size_t pair = 0; pair < found.size(); ++pair) {
    ASSERT_EQ(found[pair].size(), 3);
    for (std::size_t layer = 0; layer < 3; ++layer)
      EXPECT_THAT(found[pair][layer].to(torch::kFloat64),
                  TensorNear(expected_norms(*model, pair, layer), 1e-6));
  }
}

TEST(Contributions, AreThoseOfTheChosenLayerAndHead) {
  const auto model = transformer();
  const auto source = data::pad(small_sources());
  const auto all = contributions(*model, source, small_targets());
  EXPECT_THAT(contributions(*model, source, small_targets(), {})[0], TensorNear(all[0][1][0], 0));
  EXPECT_THAT(contributions(*model, source, small_targets(), {3, 4})[1],
              TensorNear(all[1][2][4], 0));
}

TEST(Contributions, OfARecurrentDecoderAreABug) {
  const auto model = small_model(small_options(model::WiringKind::luong));
  EXPECT_FALSE(model->has_contributions());
  EXPECT_THROW((void)contributions(*model, data::pad(small_sources()), small_targets()),
               std::logic_error);
}

}  // namespace
}  // namespace attend::decode
