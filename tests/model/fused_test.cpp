// Compares fused kernels with plain LibTorch: equal results and gradients for transformers and for
// every wiring, cell and score that has a fused form, on ragged batches, with dropout, on one and
// two threads.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>
#include <stdexcept>

#include "kernels/product/panels.h"
#include "nn/execution.h"
#include "nn/loss.h"
#include "tests/model/fused_cases.h"
#include "tests/model/small_models.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::model {
namespace {

using nn::CellKind;
using test::all_cases;
using test::Case;
using test::many_pairs;
using test::Outcome;
using test::TensorNear;
using test::train_on;

constexpr nn::Execution kPlain{.fused = false, .bf16 = false};
constexpr nn::Execution kFused{.fused = true, .bf16 = false};

class FusedModel : public testing::TestWithParam<Case> {
 protected:
  ~FusedModel() override { at::set_num_threads(1); }
};

TEST_P(FusedModel, ComputesWhatThePlainOneDoes) {
  const auto model = test::small_model(GetParam().options);
  const Outcome plain = train_on(*model, kPlain);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Outcome fused = train_on(*model, kFused);
    EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-10));
    if (plain.weights.defined()) {
      EXPECT_THAT(fused.weights, TensorNear(plain.weights, 1e-10));
    }
    const auto names = test::parameter_names(*model);
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_THAT(fused.gradients[i], TensorNear(plain.gradients[i], 1e-9)) << names[i];
    }
  }
}

TEST_P(FusedModel, ComputesWhatThePlainOneDoesInLargeBatches) {
  const auto model = test::small_model(GetParam().options);
  const Outcome plain = train_on(*model, kPlain, many_pairs());
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Outcome fused = train_on(*model, kFused, many_pairs());
    EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-10));
    if (plain.weights.defined()) {
      EXPECT_THAT(fused.weights, TensorNear(plain.weights, 1e-10));
    }
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_THAT(fused.gradients[i], TensorNear(plain.gradients[i], 1e-8)) << i;
    }
  }
}

TEST_P(FusedModel, ComputesTheSameByTheFormsForDevices) {
  const auto model = test::small_model(GetParam().options);
  const Outcome plain = train_on(*model, kPlain);
  const Outcome device = train_on(*model, {.fused = true, .device_path = true});
  EXPECT_THAT(device.outputs, TensorNear(plain.outputs, 1e-12));
  if (plain.weights.defined()) {
    EXPECT_THAT(device.weights, TensorNear(plain.weights, 1e-12));
  }
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    EXPECT_THAT(device.gradients[i], TensorNear(plain.gradients[i], 1e-11)) << i;
  }
}

TEST_P(FusedModel, HasTheGradientsOfCentralDifferences) {
  const auto model = test::small_model(GetParam().options);
  const test::Pairs pairs = test::three_pairs();
  const auto loss = [&] { return test::mean_loss(*model, pairs); };
  EXPECT_LT(test::max_directional_error(loss, test::leaves(*model)), 1e-6);
}

TEST_P(FusedModel, RefusesASecondBackwardPass) {
  if (stack_of(GetParam().options.decoder) != nullptr) GTEST_SKIP() << "only fused loops refuse it";
  const auto model = test::small_model(GetParam().options);
  const torch::Tensor loss = test::mean_loss(*model, test::three_pairs());
  const std::vector<torch::Tensor> leaves = test::leaves(*model);
  const auto ask = [&] {
    return torch::autograd::grad({loss}, leaves, {}, /*retain_graph=*/true, false,
                                 /*allow_unused=*/true);
  };
  EXPECT_NO_THROW(ask());
  EXPECT_THROW(ask(), std::logic_error);
}

/// ||actual - expected|| / ||expected||, over all parameters.
double relative_distance(const Outcome& actual, const Outcome& expected) {
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    difference +=
        (actual.gradients[i] - expected.gradients[i]).pow(2).sum(torch::kFloat64).item<double>();
    size += expected.gradients[i].pow(2).sum(torch::kFloat64).item<double>();
  }
  return std::sqrt(difference / size);
}

TEST_P(FusedModel, ComesCloseInFloatAndBf16) {
  const auto model = test::small_model(GetParam().options);
  model->to(torch::kFloat32);
  const Outcome plain = train_on(*model, kPlain, many_pairs());
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Outcome fused = train_on(*model, kFused, many_pairs());
    EXPECT_THAT(fused.outputs, TensorNear(plain.outputs, 1e-4));
    EXPECT_LT(relative_distance(fused, plain), 1e-4);
    const Outcome device =
        train_on(*model, {.fused = true, .device_path = true, .bf16 = true}, many_pairs());
    EXPECT_THAT(device.outputs, TensorNear(plain.outputs, 0.1));
    EXPECT_LT(relative_distance(device, plain), 0.1);
    EXPECT_GT(relative_distance(device, plain), 0.0);
    if (!kernels::has_panels(kernels::Precision::bf16)) continue;
    const Outcome bf16 = train_on(*model, {.fused = true, .bf16 = true}, many_pairs());
    // A bf16 operand has a relative error of at most 2^-9.
    EXPECT_THAT(bf16.outputs, TensorNear(plain.outputs, 0.1));
    EXPECT_LT(relative_distance(bf16, plain), 0.1);
    EXPECT_GT(relative_distance(bf16, plain), 0.0);
  }
}

/// Makes all parameters views of one buffer.
nn::GradientMemory gather_parameters(Seq2Seq& model) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& parameter : model.parameters()) flat.push_back(parameter.flatten());
  nn::GradientMemory memory{torch::cat(flat).detach(), {}};
  memory.gradients = torch::zeros_like(memory.values);
  int64_t begin = 0;
  for (torch::Tensor& parameter : model.parameters()) {
    const int64_t count = parameter.numel();
    parameter.set_data(memory.values.narrow(0, begin, count).view(parameter.sizes()));
    parameter.mutable_grad() = memory.gradients.narrow(0, begin, count).view(parameter.sizes());
    begin += count;
  }
  return memory;
}

/// Concatenated gradients of the loss over words.
torch::Tensor gradient_of_loss(Seq2Seq& model, const nn::GradientMemory& memory,
                               const nn::Execution& execution, double factor = 1.0) {
  const nn::ExecutionScope scope(execution);
  const test::Pairs pairs = test::three_pairs();
  memory.gradients.zero_();
  model.train();
  torch::manual_seed(11);
  const Decoded decoded = model.decode(model.encode(pairs.source), pairs.target_input);
  const nn::CrossEntropy loss =
      model.loss(nn::real_positions(decoded.outputs, pairs.target_input.mask),
                 pairs.target_output.masked_select(pairs.target_input.mask), 0.1);
  (factor == 1.0 ? loss.objective : loss.objective * factor).backward();
  return memory.gradients.clone();
}

TEST_P(FusedModel, AddsGradientsInPlaceWhereThereIsMemoryForThem) {
  const auto model = test::small_model(GetParam().options);
  const nn::GradientMemory memory = gather_parameters(*model);
  const torch::Tensor plain = gradient_of_loss(*model, memory, kPlain);
  EXPECT_GT(plain.abs().max().item<double>(), 0.0);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    EXPECT_THAT(gradient_of_loss(*model, memory, {.fused = true, .gradients = &memory}),
                TensorNear(plain, 1e-9));
    EXPECT_THAT(gradient_of_loss(*model, memory, {.fused = false, .gradients = &memory}),
                TensorNear(plain, 1e-12));
    EXPECT_THAT(gradient_of_loss(*model, memory, {.device_path = true, .gradients = &memory}),
                TensorNear(plain, 1e-11));
  }
}

TEST_P(FusedModel, AddsTheSameGradientsInPlaceInBf16) {
  if (!kernels::has_panels(kernels::Precision::bf16))
    GTEST_SKIP() << "this CPU has no bf16 instructions";
  const auto model = test::small_model(GetParam().options);
  model->to(torch::kFloat32);
  const nn::GradientMemory memory = gather_parameters(*model);
  const torch::Tensor apart = gradient_of_loss(*model, memory, {.fused = true, .bf16 = true});
  EXPECT_THAT(gradient_of_loss(*model, memory, {.fused = true, .bf16 = true, .gradients = &memory}),
              TensorNear(apart, 1e-5 * apart.abs().max().item<double>()));
}

TEST(GradientsInPlace, RefuseAFactorThatComesTooLate) {
  const auto model = test::small_model(test::small_options(WiringKind::luong, CellKind::lstm));
  const nn::GradientMemory memory = gather_parameters(*model);
  const nn::Execution in_place{.fused = true, .gradients = &memory};
  EXPECT_THROW(gradient_of_loss(*model, memory, in_place, 0.5), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(All, FusedModel, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace attend::model
