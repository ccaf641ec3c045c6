// The device forms of layers give the same results and gradients as the plain operations. They run
// on the CPU (Execution::device_path), or on a GPU if ATTEND_TEST_DEVICE=cuda is set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <algorithm>

#include "nn/device/head_attention.h"
#include "nn/device/linear.h"
#include "nn/device/rounded_weights.h"
#include "nn/device/sequence.h"
#include "nn/device/words.h"
#include "nn/embedding.h"
#include "nn/execution.h"
#include "nn/rnn/cell.h"
#include "tests/support/tensors.h"
#include "tests/support/tested_device.h"

namespace attend::nn {
namespace {

using test::random_f64;
using test::TensorEq;
using test::TensorNear;
using torch::Tensor;

constexpr Execution kPlain{.fused = false};
constexpr Execution kDevice{.device_path = true};
constexpr bool kHasFloatResults = TORCH_VERSION_MAJOR > 2 ||
                                  (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 8);

Tensor there(const Tensor& x) {
  return x.to(test::tested_device());
}
Tensor leaf(torch::IntArrayRef sizes, uint64_t seed) {
  return there(random_f64(sizes, seed)).set_requires_grad(true);
}

/// Weight [4, 3] and bias [4] in one buffer, with memory for their gradients.
struct FlatLinear {
  FlatLinear() {
    weight = memory.values.narrow(0, 0, 12).view({4, 3}).detach().set_requires_grad(true);
    bias = memory.values.narrow(0, 12, 4).detach().set_requires_grad(true);
  }
  GradientMemory memory{there(random_f64({16}, 1)), there(torch::ones({16}, torch::kFloat64))};
  Tensor weight, bias;
};

TEST(DeviceLinear, AndItsGradientsAreThePlainOnes) {
  const Tensor x = leaf({2, 5, 3}, 2), weight = leaf({4, 3}, 3), bias = leaf({4}, 4);
  const Tensor by = there(random_f64({2, 5, 4}, 5));
  const Tensor plain = at::linear(x, weight, bias);
  const ExecutionScope scope(kDevice);
  const Tensor y = device::linear(x, weight, bias);
  EXPECT_THAT(y.detach(), TensorNear(plain.detach(), 1e-13));
  const auto expected = torch::autograd::grad({(plain * by).sum()}, {x, weight, bias});
  const auto gradients = torch::autograd::grad({(y * by).sum()}, {x, weight, bias});
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_THAT(gradients[i], TensorNear(expected[i], 1e-12)) << i;
}

TEST(DeviceLinear, AddsGradientsInPlace) {
  const FlatLinear flat;
  const Tensor x = leaf({5, 3}, 2), by = there(random_f64({5, 4}, 5));
  const ExecutionScope scope(Execution{.device_path = true, .gradients = &flat.memory});
  (device::linear(x, flat.weight, flat.bias) * by).sum().backward();
  EXPECT_THAT(flat.memory.gradients.narrow(0, 0, 12).view({4, 3}),
              TensorNear(1 + by.t().mm(x.detach()), 1e-12));
  EXPECT_THAT(flat.memory.gradients.narrow(0, 12, 4), TensorNear(1 + by.sum(0), 1e-12));
  EXPECT_FALSE(flat.weight.grad().defined());
}

TEST(DeviceLinears, AreOneProductOfAdjacentWeights) {
  const GradientMemory memory{there(random_f64({24}, 1)),
                              there(torch::ones({24}, torch::kFloat64))};
  const auto part = [&memory](int64_t first) {
    return memory.values.narrow(0, first, 12).view({4, 3}).detach().set_requires_grad(true);
  };
  const Tensor first = part(0), second = part(12);
  const Tensor x = leaf({2, 5, 3}, 2), by = there(random_f64({2, 5, 4}, 5));
  const ExecutionScope scope(Execution{.device_path = true, .gradients = &memory});
  for (const auto& [weights, adjacent] :
       {std::pair(std::array<Tensor, 3>{first, second, {}}, true),
        std::pair(std::array<Tensor, 3>{second, {}, first}, false)}) {
    memory.gradients.fill_(1.0);
    const auto products = device::linears(x, weights);
    Tensor objective;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(products[i].defined(), weights[i].defined());
      if (!products[i].defined()) continue;
      EXPECT_THAT(products[i].detach(), TensorNear(at::linear(x, weights[i]).detach(), 1e-13));
      const Tensor part_of_it = (products[i] * by).sum() * (1.0 + static_cast<double>(i));
      objective = objective.defined() ? objective + part_of_it : part_of_it;
    }
    const Tensor flat = x.detach().flatten(0, 1), gradient = by.flatten(0, 1).t().mm(flat);
    x.mutable_grad() = Tensor();
    objective.backward();
    EXPECT_THAT(memory.gradients.narrow(0, 0, 12).view({4, 3}),
                TensorNear(1 + (adjacent ? 1 : 3) * gradient, 1e-12));
    EXPECT_THAT(memory.gradients.narrow(0, 12, 12).view({4, 3}),
                TensorNear(1 + (adjacent ? 2 : 1) * gradient, 1e-12));
    const Tensor d_x = adjacent ? by.matmul(first) + 2 * by.matmul(second)
                                : by.matmul(second) + 3 * by.matmul(first);
    EXPECT_THAT(x.grad(), TensorNear(d_x.detach(), 1e-12));
  }
}

// 1 + 2^-9 is not a bf16 number: it is rounded to 1. Sums of products keep all bits of a float.
TEST(DeviceLinear, RoundsOperandsToBf16AndSumsInFloat) {
  if (!test::tested_device().is_cpu() && !kHasFloatResults) {
    GTEST_SKIP() << "this LibTorch rounds the results of bf16 products on a GPU";
  }
  const float small = 1.0F / 512;
  const Tensor x = there(torch::tensor({{1.0F + small, 1.0F}}));
  const Tensor weight = there(torch::tensor({{1.0F, small}}));
  const ExecutionScope scope(Execution{.device_path = true, .bf16 = true});
  EXPECT_THAT(device::linear(x, weight, {}), TensorEq(there(torch::tensor({{1.0F + small}}))));
}

// Compares two products, the first with a result in bf16, with float64.
TEST(DeviceLinear, KeepsResultsInBf16OnRequest) {
  const auto single = [](const Tensor& x) {
    return there(x.to(torch::kFloat32)).set_requires_grad(true);
  };
  const Tensor x = single(random_f64({6, 3}, 2)), inner = single(random_f64({5, 3}, 3));
  const Tensor bias = single(random_f64({5}, 4)), outer = single(random_f64({2, 5}, 5));
  const std::vector<Tensor> leaves{x, inner, bias, outer};
  const auto wide = at::linear(x, inner, bias);
  const auto expected = torch::autograd::grad({at::linear(wide, outer).pow(2).sum()}, leaves);
  const ExecutionScope scope(Execution{.device_path = true, .bf16 = true});
  const Tensor between = device::linear(x, inner, bias, device::ResultType::bf16);
  EXPECT_EQ(between.scalar_type(), torch::kBFloat16);
  EXPECT_THAT(between.detach().to(torch::kFloat32), TensorNear(wide.detach(), 0.05));
  const Tensor y = device::linear(between, outer, {});
  EXPECT_EQ(y.scalar_type(), torch::kFloat32);
  const auto gradients = torch::autograd::grad({y.pow(2).sum()}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_EQ(gradients[i].scalar_type(), torch::kFloat32);
    EXPECT_THAT(gradients[i],
                TensorNear(expected[i], 0.02 * expected[i].abs().max().item<double>()));
  }
}

TEST(RoundedWeights, KeepThePartsOfAWeight) {
  const Tensor memory = there(random_f64({4, 6}, 1).to(torch::kFloat32));
  RoundedWeights weights({memory});
  const Tensor part = memory.narrow(1, 2, 3).t();
  EXPECT_THAT(weights.of(part), TensorEq(part.to(torch::kBFloat16)));
  memory.mul_(2);
  EXPECT_THAT(weights.of(part), TensorEq(part.div(2).to(torch::kBFloat16)));
  weights.refresh();
  EXPECT_THAT(weights.of(part), TensorEq(part.to(torch::kBFloat16)));
  EXPECT_EQ(weights.of(part).data_ptr(), weights.of(part).data_ptr()) << "a view, not a copy";
  const Tensor other = torch::ones({2}, part.options());
  EXPECT_THAT(weights.of(other), TensorEq(other.to(torch::kBFloat16)));
}

TEST(DeviceWords, AddTheirGradientsInPlace) {
  const GradientMemory memory{there(random_f64({3, 2}, 1)),
                              there(torch::ones({3, 2}, torch::kFloat64))};
  const Tensor weight = memory.values.detach().set_requires_grad(true);
  const Tensor ids = there(torch::tensor({{2, 0}, {2, 2}}, torch::kInt64));
  const ExecutionScope scope(Execution{.device_path = true, .gradients = &memory});
  const Tensor words = device::gathered_words(weight, ids);
  EXPECT_THAT(words.detach(), TensorEq(at::embedding(weight.detach(), ids)));
  words.sum().backward();
  EXPECT_THAT(memory.gradients, TensorEq(there(test::f64({2, 2, 1, 1, 4, 4}, {3, 2}))));
}

struct SequenceCase {
  CellKind cell;
  bool both;
};

/// Outputs and last states of one or two directions over ragged rows, and all gradients.
std::vector<Tensor> run_sequence(const SequenceCase& one, const Execution& execution) {
  const ExecutionScope scope(execution);
  const Tensor x = leaf({3, 5, 4}, 7), lengths = there(torch::tensor({3, 5, 1}, torch::kInt64));
  std::vector<std::shared_ptr<RnnCell>> cells;
  std::vector<Direction> directions;
  std::vector<Tensor> leaves{x};
  for (uint64_t i = 0; i < (one.both ? 2 : 1); ++i) {
    cells.push_back(make_cell(one.cell, 4, 6, /*layer_norm=*/false));
    test::randomize(*cells.back(), 9 + i);
    cells.back()->to(test::tested_device());
    for (const Tensor& parameter : cells.back()->parameters()) leaves.push_back(parameter);
    CellState start{leaf({3, 6}, 20 + i), {}};
    leaves.push_back(start.hidden);
    if (cells.back()->has_cell()) leaves.push_back(start.cell = leaf({3, 6}, 30 + i));
    directions.push_back({*cells.back(), start, {}});
  }
  if (one.both) directions.back().reading = fused::ReadingDirection::backward;
  EXPECT_EQ(device::has_library_form(directions, x), execution.device_path);
  const SequenceOutput output =
      run_directions(directions, x, lengths, false, torch::tensor({3, 5, 1}, torch::kInt64));
  std::vector<Tensor> results{output.outputs, output.last.hidden};
  if (output.last.cell.defined()) results.push_back(output.last.cell);
  Tensor objective;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor part = (results[i] * there(random_f64(results[i].sizes(), 40 + i))).sum();
    objective = objective.defined() ? objective + part : part;
  }
  for (const Tensor& gradient : torch::autograd::grad({objective}, leaves))
    results.push_back(gradient);
  for (Tensor& result : results) result = result.detach();
  return results;
}

TEST(DeviceSequence, IsTheCellsStepByStep) {
  for (const CellKind cell : {CellKind::lstm, CellKind::gru}) {
    for (const bool both : {false, true}) {
      const auto plain = run_sequence({cell, both}, kPlain);
      const auto library = run_sequence({cell, both}, kDevice);
      ASSERT_EQ(plain.size(), library.size());
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_THAT(library[i], TensorNear(plain[i], 1e-11)) << i << " " << both;
    }
  }
}

TEST(DeviceSequence, IsNotForLayerNormalisationNorRecurrentMasks) {
  const ExecutionScope scope(kDevice);
  const Tensor x = random_f64({3, 5, 4}, 7);
  const auto normed = make_cell(CellKind::lstm, 4, 6, /*layer_norm=*/true);
  const auto plain = make_cell(CellKind::lstm, 4, 6, /*layer_norm=*/false);
  EXPECT_FALSE(device::has_library_form({{*normed, {}, {}}}, x));
  EXPECT_FALSE(device::has_library_form({{*plain, {}, torch::ones({3, 6})}}, x));
  EXPECT_TRUE(device::has_library_form({{*plain, {}, {}}}, x));
}

/// Softmax of query keys^T over the positions below each length and, if causal, up to the query's.
Tensor plain_attention(const fused::HeadAttention& attention) {
  const int64_t queries = attention.query.size(2), positions = attention.keys.size(2);
  const auto options = attention.lengths.options();
  Tensor seen = torch::arange(positions, options) < attention.lengths.view({-1, 1, 1, 1});
  if (attention.causal) {
    seen = seen & (torch::arange(positions, options) <=
                   torch::arange(queries, options).unsqueeze(1) + attention.position);
  }
  Tensor energies = at::matmul(attention.query, attention.keys.transpose(2, 3));
  for (int64_t t = 0; attention.bias.defined() && t < queries; ++t) {
    for (int64_t s = 0; s < positions; ++s) {
      const int64_t distance = std::clamp<int64_t>(s - t - attention.position, -2, 2);
      const Tensor at = torch::zeros({queries, positions}, energies.options());
      at[t][s] = 1.0;
      energies = energies + attention.bias.select(-1, distance + 2).view({-1, 1, 1}) * at;
    }
  }
  return at::matmul(energies.masked_fill(seen.logical_not(), -1e30).softmax(-1), attention.values);
}

fused::HeadAttention head_attention_of(int64_t queries, int64_t positions, bool causal,
                                       const Tensor& lengths) {
  return {.query = leaf({2, 3, queries, 4}, 50),
          .keys = leaf({2, 3, positions, 4}, 51),
          .values = leaf({2, 3, positions, 5}, 52),
          .lengths = there(lengths),
          .causal = causal,
          .position = causal ? positions - queries : 0};
}

TEST(DeviceHeadAttention, AndItsGradientsAreThePlainOnes) {
  const ExecutionScope scope(kDevice);
  const Tensor ragged = torch::tensor({6, 2}, torch::kInt64);
  const Tensor all = torch::tensor({6}, torch::kInt64);
  std::vector<fused::HeadAttention> biased{head_attention_of(4, 6, false, ragged),
                                           head_attention_of(2, 6, true, all)};
  for (auto& attention : biased) attention.bias = leaf({3, 5}, 53);
  for (const auto& attention :
       {biased[0], biased[1], head_attention_of(4, 6, false, ragged),
        head_attention_of(6, 6, true, all), head_attention_of(2, 6, true, all),
        head_attention_of(1, 6, true, all), head_attention_of(6, 6, true, ragged)}) {
    std::vector<Tensor> leaves{attention.query, attention.keys, attention.values};
    if (attention.bias.defined()) leaves.push_back(attention.bias);
    const Tensor plain = plain_attention(attention);
    const Tensor by = there(random_f64(plain.sizes(), 60));
    const auto expected = torch::autograd::grad({(plain * by).sum()}, leaves);
    for (const bool wanted : {false, true}) {
      const fused::HeadAttended attended = device::head_attention(attention, wanted);
      EXPECT_EQ(attended.weights.defined(), wanted);
      EXPECT_THAT(attended.context.detach(), TensorNear(plain.detach(), 1e-12));
      const auto gradients = torch::autograd::grad({(attended.context * by).sum()}, leaves);
      for (std::size_t i = 0; i < leaves.size(); ++i)
        EXPECT_THAT(gradients[i], TensorNear(expected[i], 1e-11)) << i;
    }
  }
}

}  // namespace
}  // namespace attend::nn
