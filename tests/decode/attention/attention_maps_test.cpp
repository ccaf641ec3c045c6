// Checks the attention of every layer and head for all encoders and decoders.
#include "decode/attention/attention_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <stdexcept>

#include "decode/attention/posterior.h"
#include "decode/attention/rollout.h"
#include "decode/attention/saliency.h"
#include "decode/forced/forced.h"
#include "tests/decode/small_pairs.h"
#include "tests/support/tensors.h"

namespace attend::decode {
namespace {

using test::small_sources;
using test::small_targets;
using test::TensorEq;
using test::TensorNear;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr AttentionKinds kAllKinds{true, true, true};

struct Product {
  std::string encoder;  // recurrent, self (recurrent with self-attention) or transformer
  std::string decoder;  // a type, or "none": recurrent without attention
};

void PrintTo(const Product& product, std::ostream* out) {
  *out << product.encoder << "_" << product.decoder;
}

/// Makes the decoder a stack of three layers that shows the second.
template <class Stack>
void use_stack(model::ModelOptions& options) {
  auto& decoder = options.decoder.emplace<Stack>();
  decoder.width = 8;
  decoder.heads = 2;
  decoder.layers = 3;
  decoder.alignment_layer = 2;
  options.attention.heads = 4;
}

model::ModelOptions options_of(const Product& product) {
  model::ModelOptions options = test::small_options(
      product.decoder == "none" ? model::WiringKind::none : model::WiringKind::conditional);
  if (product.encoder == "self") {
    auto& encoder = std::get<model::RecurrentEncoderOptions>(options.encoder);
    encoder.self_attention = model::TopAttention::scaled_dot;
    encoder.self_attention_heads = 4;
  }
  if (product.encoder == "transformer") {
    auto& encoder = options.encoder.emplace<model::TransformerEncoderOptions>();
    encoder.width = 6;
    encoder.heads = 3;
    encoder.layers = 2;
  }
  if (product.decoder == "transformer") use_stack<model::TransformerDecoderOptions>(options);
  if (product.decoder == "ssru") use_stack<model::SsruDecoderOptions>(options);
  if (product.decoder == "lstm") use_stack<model::LstmDecoderOptions>(options);
  return options;
}

std::vector<Product> all_products() {
  std::vector<Product> products;
  for (const char* encoder : {"recurrent", "self", "transformer"}) {
    for (const char* decoder : {"recurrent", "none", "transformer", "ssru", "lstm"})
      products.push_back({encoder, decoder});
  }
  return products;
}

class EveryProduct : public testing::TestWithParam<Product> {
 protected:
  [[nodiscard]] std::vector<AttentionMaps> maps() const {
    return attention_maps(*model_, data::pad(small_sources()), small_targets(), kAllKinds);
  }

  std::shared_ptr<model::Seq2Seq> model_ = test::small_model(options_of(GetParam()));
};

void expect_layers(const KindMaps& maps, const model::LayerHeads& heads, int64_t rows,
                   int64_t columns) {
  ASSERT_THAT(maps.layers, SizeIs(heads.size()));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    EXPECT_EQ(maps.layers[i].sizes(), (torch::IntArrayRef{heads[i], rows, columns}));
    EXPECT_THAT(maps.layers[i].sum(2), TensorNear(torch::ones({heads[i], rows}), 1e-5));
  }
}

TEST_P(EveryProduct, HasTheLayersAndHeadsThatItSays) {
  const model::AttentionHeads heads = model_->attention_heads();
  EXPECT_THAT(heads.encoder, SizeIs(GetParam().encoder == "transformer" ? 2
                                    : GetParam().encoder == "self"      ? 1
                                                                        : 0));
  EXPECT_THAT(heads.decoder, SizeIs(GetParam().decoder == "transformer" ? 3 : 0));
  EXPECT_EQ(heads.cross.empty(), GetParam().decoder == "none");
  const auto all = maps();
  ASSERT_THAT(all, SizeIs(3));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto source = static_cast<int64_t>(small_sources()[i].size());
    const auto target = static_cast<int64_t>(small_targets()[i].size()) + 1;
    expect_layers(all[i].encoder, heads.encoder, source, source);
    expect_layers(all[i].decoder, heads.decoder, target, target);
    expect_layers(all[i].cross, heads.cross, target, source);
  }
}

TEST_P(EveryProduct, ShowsOneOfItsLayersToForcedDecoding) {
  const auto forced =
      force_decode(*model_, data::pad(small_sources()), small_targets(), /*keep_attention=*/true);
  const auto all = maps();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(forced[i].attention.defined(), !all[i].cross.layers.empty());
    if (!forced[i].attention.defined()) continue;
    EXPECT_THAT(chosen_map(all[i], *model_, {}), TensorNear(forced[i].attention, 1e-6));
    const torch::Tensor& shown = all[i].cross.layers.at(model_->shown_layer());
    if (forced[i].heads.defined()) {
      EXPECT_THAT(shown, TensorEq(forced[i].heads));
    }
  }
}

TEST_P(EveryProduct, SeesAPairTheSameInABatchAndAlone) {
  const auto together = maps();
  for (std::size_t i = 0; i < together.size(); ++i) {
    const std::vector<std::vector<text::TokenId>> target{small_targets()[i]};
    const auto alone = attention_maps(*model_, data::pad(test::Sentences{small_sources()[i]}),
                                      target, kAllKinds)[0];
    const auto compare = [](const KindMaps& a, const KindMaps& b) {
      ASSERT_EQ(a.layers.size(), b.layers.size());
      for (std::size_t k = 0; k < a.layers.size(); ++k)
        EXPECT_THAT(a.layers[k], TensorNear(b.layers[k], 1e-6));
      ASSERT_EQ(a.rollout.defined(), b.rollout.defined());
      if (a.rollout.defined()) {
        EXPECT_THAT(a.rollout, TensorNear(b.rollout, 1e-6));
      }
    };
    compare(together[i].encoder, alone.encoder);
    compare(together[i].decoder, alone.decoder);
    compare(together[i].cross, alone.cross);
  }
}

TEST_P(EveryProduct, DecoderSeesNothingOfLaterWords) {
  for (const AttentionMaps& pair : maps()) {
    std::vector<torch::Tensor> triangles = pair.decoder.layers;
    if (pair.decoder.rollout.defined()) triangles.push_back(pair.decoder.rollout);
    for (const torch::Tensor& triangle : triangles) {
      EXPECT_THAT(triangle.triu(1), TensorEq(torch::zeros_like(triangle)));
      EXPECT_TRUE(triangle.tril().gt(0).sum().equal(
          torch::ones_like(triangle).tril().sum().to(torch::kInt64)));
    }
  }
}

TEST_P(EveryProduct, RollsOutWhatStandsOnWords) {
  const bool stack = GetParam().encoder == "transformer";
  for (const AttentionMaps& pair : maps()) {
    EXPECT_EQ(pair.encoder.rollout.defined(), stack);
    EXPECT_EQ(pair.decoder.rollout.defined(), GetParam().decoder == "transformer");
    EXPECT_EQ(pair.cross.rollout.defined(), stack && GetParam().decoder != "none");
    if (!pair.cross.rollout.defined()) continue;
    EXPECT_THAT(pair.encoder.rollout, TensorEq(rollout(pair.encoder.layers)));
    EXPECT_THAT(
        pair.cross.rollout,
        TensorNear(torch::mm(chosen_map(pair, *model_, {}), rollout(pair.encoder.layers)), 1e-6));
  }
}

TEST_P(EveryProduct, HasOnlyTheKindsThatAreAskedFor) {
  const auto some = attention_maps(*model_, data::pad(small_sources()), small_targets(),
                                   {.encoder = false, .decoder = false, .cross = true});
  EXPECT_THAT(some[0].encoder.layers, IsEmpty());
  EXPECT_FALSE(some[0].encoder.rollout.defined());
  EXPECT_THAT(some[0].decoder.layers, IsEmpty());
  EXPECT_EQ(some[0].cross.layers.empty(), GetParam().decoder == "none");
  EXPECT_EQ(some[0].cross.rollout.defined(), maps()[0].cross.rollout.defined());
}

// Like attention: a row for each token and one for kEos; rows sum to 1.
TEST_P(EveryProduct, HasPosteriorAndSaliency) {
  const auto source = data::pad(small_sources());
  const std::vector<int64_t> numbers{0, 1, 2};
  const auto check = [](const std::vector<torch::Tensor>& maps) {
    ASSERT_THAT(maps, SizeIs(3));
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const auto rows = static_cast<int64_t>(small_targets()[i].size()) + 1;
      const auto columns = static_cast<int64_t>(small_sources()[i].size());
      ASSERT_EQ(maps[i].sizes(), (torch::IntArrayRef{rows, columns}));
      EXPECT_THAT(maps[i].sum(1), TensorNear(torch::ones({rows}), 1e-5));
    }
  };
  check(saliency(*model_, source, small_targets(), numbers, {}));
  if (model_->attends()) {
    check(posterior(*model_, source, small_targets()));
  } else {
    EXPECT_THROW((void)posterior(*model_, source, small_targets()), std::logic_error);
  }
}

TEST_P(EveryProduct, IsNotTracedInTraining) {
  model_->train();
  EXPECT_THROW((void)maps(), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Families, EveryProduct, testing::ValuesIn(all_products()),
                         [](const auto& test_case) {
                           return test_case.param.encoder + "_" + test_case.param.decoder;
                         });

TEST(AttentionMaps, OfASourceInAnotherOrderHaveNoEncoder) {
  model::ModelOptions options = options_of({"self", "none"});
  std::get<model::RecurrentEncoderOptions>(options.encoder).reverse_source = true;
  const auto model = test::small_model(options);
  EXPECT_THAT(model->attention_heads().encoder, IsEmpty());
  EXPECT_THAT(attention_maps(*model, data::pad(small_sources()), small_targets(), kAllKinds)[0]
                  .encoder.layers,
              IsEmpty());
}

TEST(ChosenMap, CountsLayersAndHeadsFromOne) {
  const auto model = test::small_model(options_of({"transformer", "transformer"}));
  const auto maps =
      attention_maps(*model, data::pad(small_sources()), small_targets(), kAllKinds)[1];
  EXPECT_THAT(chosen_map(maps, *model, {3, 2}), TensorEq(maps.cross.layers[2][1]));
  EXPECT_THAT(chosen_map(maps, *model, {1, 0}), TensorEq(maps.cross.layers[0].mean(0)));
  EXPECT_THAT(chosen_map(maps, *model, {0, 4}), TensorEq(maps.cross.layers[1][3]));
}

}  // namespace
}  // namespace attend::decode
