// Several sources, each encoded separately.
#include "model/sources/sources_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "model/registry.h"
#include "model/sources/source_sides.h"
#include "tests/model/small_models.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::sentences;
using test::TensorEq;
using test::TensorNear;

torch::Tensor table(const std::vector<int64_t>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kInt64).view(sizes);
}

/// a b </s> c </s>; </s> d e f </s>.
data::SentenceBatch two_of_each() {
  return sentences({{4, 5, 3, 6, 3}, {3, 7, 8, 9, 3}});
}

TEST(SourceSides, FindsEachSourceByHand) {
  const SourceSides sides(two_of_each(), 2);
  EXPECT_THAT(sides.side(0).ids, TensorEq(table({4, 5, 3, 3, 0, 0}, {2, 3})));
  EXPECT_THAT(sides.side(1).ids, TensorEq(table({6, 3, 0, 0, 7, 8, 9, 3}, {2, 4})));
  EXPECT_THAT(sides.side(0).lengths, TensorEq(table({3, 1}, {2})));
  EXPECT_THAT(sides.side(1).lengths, TensorEq(table({2, 4}, {2})));
  EXPECT_THAT(sides.columns(),
              TensorEq(table({0, 1, 2, 5, 3, 4, 5, 5, 0, 5, 5, 5, 1, 2, 3, 4}, {2, 2, 4})));
}

TEST(SourceSides, TakesApartAndPutsTogether) {
  const data::SentenceBatch source = test::repadded(two_of_each(), 2);
  const SourceSides sides(source, 2);
  const torch::Tensor x = test::random_f64({2, 7, 3}, 3) * source.mask.unsqueeze(2);
  const std::vector<torch::Tensor> parts{sides.of_side(x, 0).all(), sides.of_side(x, 1).all()};
  EXPECT_THAT(parts[1][0].slice(0, 0, 2), TensorEq(x[0].slice(0, 3, 5)));
  EXPECT_THAT(sides.joined(parts), TensorEq(x));
  const nn::IndexedRows indexed(x.flatten(0, 1), torch::arange(14).view({2, 7}));
  EXPECT_THAT(sides.of_side(indexed, 1).all(), TensorEq(parts[1]));
}

// The first line has sources of 3 and 2 positions, the second of 1 and 4.
TEST(SourceSides, PutATableTogetherByHand) {
  const SourceSides sides(test::repadded(two_of_each(), 1), 2);
  const auto full = torch::arange(24, torch::kFloat64).view({2, 3, 4}) + 1;
  const auto single = torch::arange(6, torch::kFloat64).view({2, 1, 3}) + 101;
  const torch::Tensor joined = sides.joined({{{}, full}, {single, {}}});
  EXPECT_THAT(joined[0], TensorEq(test::f64({0,   0,   0,   1, 2,  0,  //
                                             0,   0,   0,   5, 6,  0,  //
                                             0,   0,   0,   9, 10, 0,  //
                                             101, 102, 103, 0, 0,  0,  //
                                             101, 102, 103, 0, 0,  0,  //
                                             0,   0,   0,   0, 0,  0},
                                            {6, 6})));
  EXPECT_THAT(joined[1], TensorEq(test::f64({0,   13, 14, 15, 16, 0,  //
                                             104, 0,  0,  0,  0,  0,  //
                                             104, 0,  0,  0,  0,  0,  //
                                             104, 0,  0,  0,  0,  0,  //
                                             104, 0,  0,  0,  0,  0,  //
                                             0,   0,  0,  0,  0,  0},
                                            {6, 6})));
}

TEST(SourceSides, AreAsManyAsTheModelReads) {
  EXPECT_THROW(SourceSides(two_of_each(), 3), std::logic_error);
}

ModelOptions options_of(bool share) {
  ModelOptions options = test::small_options(WiringKind::luong, CellKind::lstm);
  options.sources = {.share_encoder = share, .count = 2};
  return options;
}

class SourcesEncoderOf : public testing::TestWithParam<bool> {};

TEST_P(SourcesEncoderOf, ReadsEachSourceAsIfItWereTheOnlyOne) {
  const auto encoder = make_encoder(options_of(GetParam()));
  test::randomize(*encoder, 3);
  encoder->eval();
  const data::SentenceBatch source = two_of_each();
  const torch::Tensor x = test::random_f64({2, 5, 3}, 4);
  const std::vector<EncoderOutput> outputs = encoder->encode(x, source);
  ASSERT_EQ(outputs.size(), 2U);
  const auto readers = encoder->named_children();
  ASSERT_EQ(readers.size(), GetParam() ? 1U : 2U);
  const std::vector<std::vector<int64_t>> begins{{0, 3}, {0, 1}}, lengths{{3, 2}, {1, 4}};
  for (std::size_t line = 0; line < 2; ++line) {
    const auto row = static_cast<int64_t>(line);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto& name = GetParam() ? "each" : k == 0 ? "source1" : "source2";
      const auto& reader = dynamic_cast<const Encoder&>(*readers[name]);
      const int64_t begin = begins[line][k], length = lengths[line][k];
      const auto real = torch::tensor({length}, torch::kInt64);
      const EncoderOutput alone =
          reader
              .encode(x[row].narrow(0, begin, length).unsqueeze(0),
                      {source.ids[row].narrow(0, begin, length).unsqueeze(0), real,
                       test::mask_of(real, length)})
              .front();
      EXPECT_THAT(outputs[0].outputs[row].narrow(0, begin, length),
                  TensorNear(alone.outputs[0], 1e-12));
      const auto part = [&](const torch::Tensor& whole) {
        return whole[row].narrow(0, static_cast<int64_t>(k) * 8, 8);
      };
      EXPECT_THAT(part(outputs[1].summary.back().hidden),
                  TensorNear(alone.summary.back().hidden[0], 1e-12));
      EXPECT_THAT(part(outputs[1].summary.back().cell),
                  TensorNear(alone.summary.back().cell[0], 1e-12));
      EXPECT_THAT(part(outputs[1].outputs.squeeze(1)), TensorNear(alone.outputs[0].mean(0), 1e-12));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, SourcesEncoderOf, testing::Bool(), [](const auto& test_case) {
  return test_case.param ? "one_encoder" : "an_encoder_each";
});

}  // namespace
}  // namespace attend::model
