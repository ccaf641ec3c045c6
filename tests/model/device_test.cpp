// Compares the device path with plain LibTorch: on the CPU, where an emulated grid runs the bodies
// of the kernels, and on the device named by ATTEND_TEST_DEVICE (cuda), if it is set.
#include <ATen/record_function.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <map>
#include <optional>

#include "kernels/device/block.h"
#include "nn/execution.h"
#include "runtime/tf32.h"
#include "tests/model/fused_cases.h"
#include "tests/support/tensors.h"
#include "tests/support/tested_device.h"

namespace attend::model {
namespace {

using test::Case;
using test::Outcome;
using test::TensorNear;
using torch::Tensor;

constexpr nn::Execution kPlainPath{.fused = false, .bf16 = false};
constexpr nn::Execution kDevicePath{.fused = true, .device_path = true};

bool runs_recurrent_decoder(const ModelOptions& options) {
  return std::holds_alternative<RecurrentDecoderOptions>(options.decoder);
}

std::vector<Case> cases_with_loops() {
  std::vector<Case> cases = test::all_cases();
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [](const Case& one) { return !runs_recurrent_decoder(one.options); }),
              cases.end());
  return cases;
}

void expect_near(const Outcome& actual, const Outcome& expected, double tolerance) {
  EXPECT_THAT(actual.outputs, TensorNear(expected.outputs, tolerance));
  if (expected.weights.defined()) {
    EXPECT_THAT(actual.weights, TensorNear(expected.weights, tolerance));
  }
  ASSERT_EQ(actual.gradients.size(), expected.gradients.size());
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    const double size = std::max(1.0, expected.gradients[i].abs().max().item<double>());
    EXPECT_THAT(actual.gradients[i], TensorNear(expected.gradients[i], tolerance * size)) << i;
  }
}

class DevicePath : public testing::TestWithParam<Case> {};

TEST_P(DevicePath, TrainsAsPlainLayersDo) {
  const auto model = test::small_model(GetParam().options);
  for (const test::Pairs& pairs : {test::three_pairs(), test::many_pairs()}) {
    expect_near(test::train_on(*model, kDevicePath, pairs),
                test::train_on(*model, kPlainPath, pairs), 1e-12);
  }
}

TEST(LongSources, MayHaveMorePositionsThanFitIntoABlock) {
  const auto model = test::small_model(test::small_options(WiringKind::luong, nn::CellKind::gru));
  test::Pairs pairs = test::three_pairs();
  const int64_t length = kernels::device::kRoom + 6;
  pairs.source = {torch::arange(3 * length, torch::kInt64).remainder(7).add(3).view({3, length}),
                  torch::full({3}, length, torch::kInt64), torch::ones({3, length}, torch::kBool)};
  expect_near(test::train_on(*model, kDevicePath, pairs), test::train_on(*model, kPlainPath, pairs),
              1e-11);
}

/// Logits and weights of the first steps of a search that reorders its hypotheses.
std::vector<Tensor> searched(const Seq2Seq& model, const nn::Execution& execution) {
  const torch::NoGradGuard no_grad;
  const nn::ExecutionScope scope(execution);
  const test::Pairs pairs = test::three_pairs();
  Encoded encoded = model.encode(pairs.source);
  Memories memories = model.steps_are_fused() ? with_owners(encoded.memories) : encoded.memories;
  DecoderState state = encoded.start;
  Tensor rows = torch::tensor({0, 0, 1, 2, 2}, torch::kInt64);
  std::vector<Tensor> results;
  for (int64_t t = 0; t < 2; ++t) {
    memories = select(memories, rows);
    state = state.reorder(rows);
    Predicted step = model.step(torch::full({rows.size(0)}, 3 + t, torch::kInt64), memories, state);
    results.push_back(step.logits);
    if (step.weights.defined()) results.push_back(step.weights);
    state = step.state;
    rows = torch::tensor({1, 0, 2, 4, 3}, torch::kInt64);
  }
  return results;
}

TEST_P(DevicePath, SearchesAsPlainLayersDo) {
  const auto model = test::small_model(GetParam().options);
  const std::vector<Tensor> plain = searched(*model, kPlainPath);
  const std::vector<Tensor> device = searched(*model, kDevicePath);
  ASSERT_EQ(device.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_THAT(device[i], TensorNear(plain[i], 1e-11)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DevicePath, testing::ValuesIn(cases_with_loops()),
                         [](const auto& test) { return test.param.name; });

/// Counts LibTorch operations and our kernels that run in this thread.
class OperationCount {
 public:
  OperationCount()
      : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(
            [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
              ++counts_[function.name()];
              return nullptr;
            }))) {
    counts_.clear();
  }
  ~OperationCount() { at::removeCallback(handle_); }

  /// Our kernels and products, which a GPU starts one after another.
  [[nodiscard]] static int64_t launches() {
    int64_t sum = 0;
    for (const auto& [name, count] : counts_) {
      if (name.rfind("attend::", 0) == 0 || name == "aten::mm" || name == "aten::addmm") {
        sum += count;
      }
    }
    return sum;
  }

 private:
  static thread_local std::map<std::string, int64_t> counts_;
  at::CallbackHandle handle_;
};

thread_local std::map<std::string, int64_t> OperationCount::counts_;

/// Launches of a decoder for `steps` target positions, in the forward pass or, `backward`, in both.
int64_t launches_of(const Seq2Seq& model, int64_t steps, bool backward) {
  const nn::ExecutionScope scope(kDevicePath);
  const test::Pairs pairs = test::three_pairs();
  const Encoded encoded = model.encode(pairs.source);
  const data::SentenceBatch target{torch::full({3, steps}, 4, torch::kInt64),
                                   torch::full({3}, steps, torch::kInt64),
                                   torch::ones({3, steps}, torch::kBool)};
  const OperationCount count;
  const Tensor outputs = model.decode(encoded, target).outputs;
  if (backward) outputs.sum().backward();
  return OperationCount::launches();
}

struct Limit {
  WiringKind wiring;
  nn::CellKind cell;
  int64_t forward, both;  // kernels and products of a target position
};

TEST(DeviceLaunches, AreFewForEachTargetPosition) {
  for (const Limit& limit : {Limit{WiringKind::bahdanau, nn::CellKind::gru, 5, 10},
                             Limit{WiringKind::luong, nn::CellKind::lstm, 8, 16},
                             Limit{WiringKind::conditional, nn::CellKind::gru, 7, 14}}) {
    const auto model = test::small_model(test::small_options(limit.wiring, limit.cell));
    for (const bool backward : {false, true}) {
      const int64_t few = launches_of(*model, 3, backward),
                    many = launches_of(*model, 13, backward);
      const int64_t most = backward ? limit.both : limit.forward;
      EXPECT_LE(many - few, 10 * most) << enum_name(limit.wiring) << " backward " << backward;
    }
  }
}

/// The device to test, or none. Float products on it keep all bits of their operands.
std::optional<torch::Device> device_in_full_precision() {
  runtime::allow_tf32(false);
  return attend::test::named_device();
}

data::SentenceBatch moved_to(const torch::Device& device, const data::SentenceBatch& batch) {
  return {batch.ids.to(device), batch.lengths, batch.mask.to(device)};
}

/// A training step without dropout, since each device draws its own masks.
Outcome differentiated(Seq2Seq& model, const torch::Device& device) {
  model.to(device);
  model.eval();
  model.zero_grad();
  const test::Pairs pairs = test::many_pairs();
  const data::SentenceBatch target = moved_to(device, pairs.target_input);
  const Decoded decoded = model.decode(model.encode(moved_to(device, pairs.source)), target);
  const Tensor real = target.mask.unsqueeze(2);
  Tensor objective = decoded.outputs.mul(real).pow(2).sum();
  if (decoded.weights.defined()) objective = objective + decoded.weights.mul(real).pow(3).sum();
  objective.backward();
  Outcome outcome{(decoded.outputs.detach() * real).cpu(), decoded.weights, {}};
  if (outcome.weights.defined()) outcome.weights = (outcome.weights.detach() * real).cpu();
  for (const Tensor& parameter : model.parameters()) {
    outcome.gradients.push_back(parameter.grad().defined()
                                    ? parameter.grad().cpu().clone()
                                    : torch::zeros_like(parameter, torch::kCPU));
  }
  return outcome;
}

class Gpu : public testing::TestWithParam<Case> {};

TEST_P(Gpu, ComputesWhatTheCpuDoes) {
  const auto device = device_in_full_precision();
  if (!device) GTEST_SKIP() << "ATTEND_TEST_DEVICE is not set";
  const auto on_cpu = test::small_model(GetParam().options);
  const auto on_device = test::small_model(GetParam().options);
  const Outcome expected = differentiated(*on_cpu, torch::kCPU);
  expect_near(differentiated(*on_device, *device), expected, 1e-10);
  on_device->to(torch::kFloat32);
  Outcome in_float = differentiated(*on_device, *device);
  in_float.outputs = in_float.outputs.to(torch::kFloat64);
  if (in_float.weights.defined()) in_float.weights = in_float.weights.to(torch::kFloat64);
  for (Tensor& gradient : in_float.gradients) gradient = gradient.to(torch::kFloat64);
  expect_near(in_float, expected, 1e-3);
}

TEST_P(Gpu, ComputesTheSameTwice) {
  const auto device = device_in_full_precision();
  if (!device) GTEST_SKIP() << "ATTEND_TEST_DEVICE is not set";
  const auto model = test::small_model(GetParam().options);
  const Outcome first = differentiated(*model, *device);
  const Outcome second = differentiated(*model, *device);
  EXPECT_TRUE(first.outputs.equal(second.outputs));
  for (std::size_t i = 0; i < first.gradients.size(); ++i) {
    EXPECT_TRUE(first.gradients[i].equal(second.gradients[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Gpu, testing::ValuesIn(cases_with_loops()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace attend::model
