#include "nn/fused/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <stdexcept>

#include "tests/support/tensors.h"

namespace attend::nn::fused {
namespace {

using test::random_f64;
using test::TensorEq;

torch::Tensor ints(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kInt64);
}

std::vector<int64_t> rows_of(const Packing& packing) {
  std::vector<int64_t> rows;
  for (int64_t step = 0; step < packing.steps().count(); ++step) {
    rows.push_back(packing.steps().rows(step));
  }
  return rows;
}

// Three sequences of 2, 4 and 1 steps, padded to 5: x holds 10n + t at step t of sequence n.
class ThreeSequences : public testing::Test {
 protected:
  Packing packing_{ints({2, 4, 1}), 5};
  torch::Tensor x_ = torch::tensor({{{0.0}, {1.0}, {2.0}, {3.0}, {4.0}},
                                    {{10.0}, {11.0}, {12.0}, {13.0}, {14.0}},
                                    {{20.0}, {21.0}, {22.0}, {23.0}, {24.0}}},
                                   torch::kFloat64);
};

TEST_F(ThreeSequences, AreSortedByLengthStepAfterStep) {
  EXPECT_THAT(packing_.order(), TensorEq(ints({1, 0, 2})));
  EXPECT_THAT(rows_of(packing_), testing::ElementsAre(3, 2, 1, 1));
  EXPECT_THAT(packing_.pack(x_, ReadingDirection::forward).flatten(),
              TensorEq(torch::tensor({10.0, 0.0, 20.0, 11.0, 1.0, 12.0, 13.0}, torch::kFloat64)));
  EXPECT_EQ(packing_.sequences(), 3);
  EXPECT_EQ(packing_.positions(), 5);
}

TEST_F(ThreeSequences, AreReadFromTheirOwnEnds) {
  EXPECT_THAT(packing_.pack(x_, ReadingDirection::backward).flatten(),
              TensorEq(torch::tensor({13.0, 1.0, 20.0, 12.0, 0.0, 11.0, 10.0}, torch::kFloat64)));
}

TEST_F(ThreeSequences, ArrangeTheIndexOfDistinctVectors) {
  const torch::Tensor distinct = torch::tensor({{5.0}, {6.0}}, torch::kFloat64);
  const torch::Tensor index = ints({0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0}).view({3, 5});
  for (const ReadingDirection reading : {ReadingDirection::forward, ReadingDirection::backward}) {
    const IndexedRows packed = packing_.pack(IndexedRows(distinct, index), reading);
    EXPECT_THAT(packed.rows, TensorEq(distinct));
    EXPECT_THAT(packed.all(), TensorEq(packing_.pack(distinct.index({index}), reading)));
  }
  EXPECT_THROW(
      (void)packing_.pack(IndexedRows(distinct, index.narrow(1, 0, 4)), ReadingDirection::forward),
      std::logic_error);
}

TEST(Packing, HasNoIndexForUnusedRows) {
  // 17 sequences, only one of them with a second step, which has 8 rows.
  const torch::Tensor lengths = torch::ones({17}, torch::kInt64);
  lengths[3] = 2;
  const Packing packing(lengths, 2);
  const IndexedRows packed = packing.pack(
      IndexedRows(torch::zeros({40, 1}), torch::arange(34, torch::kInt64).view({17, 2})),
      ReadingDirection::forward);
  ASSERT_EQ(packed.index.size(0), 25);
  EXPECT_EQ(packed.index[17].item<int64_t>(), 7) << "the second step of sequence 3";
  EXPECT_THAT(packed.index.narrow(0, 18, 7), TensorEq(torch::full({7}, -1, torch::kInt64)));
}

TEST_F(ThreeSequences, HaveTheirLastStepsAtLast) {
  const torch::Tensor packed = packing_.pack(x_, ReadingDirection::forward);
  EXPECT_THAT(packed.index_select(0, packing_.last()).flatten(),
              TensorEq(torch::tensor({1.0, 13.0, 20.0}, torch::kFloat64)));
}

TEST_F(ThreeSequences, ComeBackToTheirPlacesWithZerosBeyondTheirEnds) {
  const torch::Tensor ahead = packing_.pack(x_, ReadingDirection::forward);
  const torch::Tensor back = packing_.pack(x_ + 100.0, ReadingDirection::backward);
  const torch::Tensor both =
      packing_.unpack({{ahead, ReadingDirection::forward}, {back, ReadingDirection::backward}});
  const torch::Tensor real = test::mask_of(ints({2, 4, 1}), 5).unsqueeze(2);
  EXPECT_THAT(both, TensorEq(torch::cat({x_ * real, (x_ + 100.0) * real}, 2)));
}

/// The gradient of sum(f(x) * weights) with respect to x.
template <class Function>
torch::Tensor gradient_of(const Function& function, const torch::Tensor& x) {
  const torch::Tensor leaf = x.clone().requires_grad_();
  const torch::Tensor y = function(leaf);
  return torch::autograd::grad({(y * random_f64(y.sizes(), 9)).sum()}, {leaf})[0];
}

// Packing and then unpacking x gives x with zeros on padding, and likewise its gradient.
TEST_F(ThreeSequences, ReturnGradientsToTheirPlaces) {
  const torch::Tensor real = test::mask_of(ints({2, 4, 1}), 5).unsqueeze(2);
  const torch::Tensor x = random_f64({3, 5, 4}, 1);
  for (const ReadingDirection reading : {ReadingDirection::forward, ReadingDirection::backward}) {
    const auto there_and_back = [&](const torch::Tensor& from) {
      const torch::Tensor packed = packing_.pack(from, reading);
      return packing_.unpack({{packed, reading}, {packed * 2.0, reading}});
    };
    const auto directly = [&](const torch::Tensor& from) {
      return torch::cat({from * real, from * real * 2.0}, 2);
    };
    EXPECT_THAT(there_and_back(x), TensorEq(directly(x)));
    EXPECT_THAT(gradient_of(there_and_back, x), test::TensorNear(gradient_of(directly, x), 1e-14));
  }
}

// 20 sequences, 5 of them with two steps: the rows are rounded up.
TEST(Packing, RoundsUpTheRowsOfALargeBatch) {
  std::vector<int64_t> lengths(20, 1);
  for (const std::size_t row : {2U, 3U, 5U, 7U, 19U}) lengths[row] = 2;
  const Packing packing(ints(lengths), 2);
  EXPECT_THAT(rows_of(packing), testing::ElementsAre(20, 8));
  const torch::Tensor x = random_f64({20, 2, 3}, 1);
  const torch::Tensor real = test::mask_of(ints(lengths), 2).unsqueeze(2);
  const auto there_and_back = [&](const torch::Tensor& from) {
    return packing.unpack({{packing.pack(from, ReadingDirection::forward)}});
  };
  EXPECT_THAT(there_and_back(x), TensorEq(x * real));
  EXPECT_THAT(gradient_of(there_and_back, x),
              TensorEq(gradient_of([&](const torch::Tensor& y) { return y * real; }, x)));
}

TEST(Packing, RefusesInvalidLengths) {
  EXPECT_THROW(Packing(ints({2, 4}), 3), std::logic_error) << "longer than the steps";
  EXPECT_THROW(Packing(ints({2, 0}), 3), std::logic_error) << "an empty sequence";
  EXPECT_THROW(Packing(ints({}), 3), std::logic_error) << "no sequence";
  EXPECT_THROW(Packing(torch::ones({2}), 3), std::logic_error) << "not int64";
}

TEST_F(ThreeSequences, RefuseOtherShapes) {
  EXPECT_THROW((void)packing_.pack(x_.narrow(0, 0, 2), ReadingDirection::forward),
               std::logic_error);
  EXPECT_THROW((void)packing_.pack(x_.narrow(1, 0, 4), ReadingDirection::forward),
               std::logic_error);
  EXPECT_THROW((void)packing_.unpack({{x_[0]}}), std::logic_error);
}

// The gradient of a plain sum is one number expanded to the whole shape, with stride 0.
TEST_F(ThreeSequences, AcceptAnExpandedGradient) {
  const torch::Tensor leaf = x_.clone().requires_grad_();
  const torch::Tensor sum =
      packing_
          .unpack({{packing_.pack(leaf, ReadingDirection::backward), ReadingDirection::backward}})
          .sum();
  EXPECT_THAT(torch::autograd::grad({sum}, {leaf})[0],
              TensorEq(test::mask_of(ints({2, 4, 1}), 5).unsqueeze(2).to(torch::kFloat64)));
}

TEST(Packing, OfASingleStepKeepsTheOrder) {
  const Packing packing(4);
  EXPECT_THAT(rows_of(packing), testing::ElementsAre(4));
  const torch::Tensor x = random_f64({4, 1, 2}, 1);
  EXPECT_THAT(packing.pack(x, ReadingDirection::forward), TensorEq(x.squeeze(1)));
}

}  // namespace
}  // namespace attend::nn::fused
