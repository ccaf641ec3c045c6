#include "nn/rnn/ntm_cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "nn/rnn/sequence.h"
#include "tests/nn/rnn/memory_cases.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::f64;
using test::numbers;
using test::parameter;
using test::random_f64;
using test::TensorNear;

constexpr int64_t kNtmRows = 2, kNtmInput = 5, kNtmHidden = 6;

using NtmNumbers = std::vector<double>;

double sigmoid_of(double x) {
  return 1 / (1 + std::exp(-x));
}

double softplus_of(double x) {
  return std::log(1 + std::exp(x));
}

/// One sequence computed number by number, as in Graves et al. (2014).
struct PlainMemory {
  std::size_t slots, width;
  NtmNumbers memory;  // [M, W]

  [[nodiscard]] double cosine(const double* key, std::size_t slot) const {
    double dot = 0, one = 1e-6, other = 1e-6;
    for (std::size_t k = 0; k < width; ++k) {
      const double number = memory[slot * width + k];
      dot += key[k] * number;
      one += key[k] * key[k];
      other += number * number;
    }
    return dot / std::sqrt(one) / std::sqrt(other);
  }

  /// instructions: key, strength, gate, three shifts, exponent.
  [[nodiscard]] NtmNumbers moved(const double* instructions, const NtmNumbers& previous) const {
    NtmNumbers content(slots), gated(slots), weights(slots);
    double sum = 0, shifts = 0;
    for (std::size_t i = 0; i < slots; ++i) {
      sum += content[i] = std::exp(softplus_of(instructions[width]) * cosine(instructions, i));
    }
    const double gate = sigmoid_of(instructions[width + 1]);
    for (std::size_t i = 0; i < slots; ++i) {
      gated[i] = gate * content[i] / sum + (1 - gate) * previous[i];
    }
    for (std::size_t j = 0; j < 3; ++j) shifts += std::exp(instructions[width + 2 + j]);
    const double exponent = 1 + softplus_of(instructions[width + 5]);
    sum = 0;
    for (std::size_t i = 0; i < slots; ++i) {
      double turned = 0;
      for (std::size_t from = 0; from < slots; ++from) {
        for (std::size_t j = 0; j < 3; ++j) {
          if ((from + j + slots - 1) % slots != i) continue;
          turned += gated[from] * std::exp(instructions[width + 2 + j]) / shifts;
        }
      }
      sum += weights[i] = std::pow(turned, exponent);
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  void write(const NtmNumbers& weights, const double* erase, const double* add) {
    for (std::size_t i = 0; i < slots; ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        double& number = memory[i * width + k];
        number *= 1 - weights[i] * sigmoid_of(erase[k]);
        number += weights[i] * std::tanh(add[k]);
      }
    }
  }
};

struct NtmExpected {
  NtmNumbers write_weights, read_weights, memory, reads;
};

NtmExpected ntm_by_hand(const MemoryOptions& options, const NtmNumbers& instructions,
                        const MemoryState& before, int64_t row) {
  PlainMemory plain{static_cast<std::size_t>(options.slots),
                    static_cast<std::size_t>(options.width), numbers(before.memory, row)};
  const std::size_t head = plain.width + 6, heads = static_cast<std::size_t>(options.heads);
  NtmExpected expected;
  expected.write_weights = plain.moved(instructions.data(), numbers(before.write_weights, row));
  const NtmNumbers previous = numbers(before.read_weights, row);
  for (std::size_t r = 0; r < heads; ++r) {
    const auto first = previous.begin() + static_cast<std::ptrdiff_t>(r * plain.slots);
    const NtmNumbers weights =
        plain.moved(instructions.data() + (r + 1) * head,
                    {first, first + static_cast<std::ptrdiff_t>(plain.slots)});
    expected.read_weights.insert(expected.read_weights.end(), weights.begin(), weights.end());
  }
  const double* const change = instructions.data() + (heads + 1) * head;
  plain.write(expected.write_weights, change, change + plain.width);
  expected.memory = plain.memory;
  for (std::size_t r = 0; r < heads; ++r) {
    for (std::size_t k = 0; k < plain.width; ++k) {
      double read = 0;
      for (std::size_t i = 0; i < plain.slots; ++i) {
        read += expected.read_weights[r * plain.slots + i] * plain.memory[i * plain.width + k];
      }
      expected.reads.push_back(read);
    }
  }
  return expected;
}

void expect_near(const torch::Tensor& actual, int64_t row, const NtmNumbers& expected,
                 const char* what) {
  const NtmNumbers found = numbers(actual, row);
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-12) << what << " " << i;
  }
}

class NtmCellOfController : public testing::TestWithParam<Controller> {
 protected:
  static std::shared_ptr<NtmCell> make() {
    auto cell =
        std::make_shared<NtmCell>(kNtmInput, kNtmHidden, false, test::small_memory(GetParam()));
    test::randomize(*cell, 3);
    return cell;
  }
};

TEST_P(NtmCellOfController, StepsAsThePaperNumberByNumber) {
  const MemoryOptions options = test::small_memory(GetParam());
  const auto cell = make();
  const CellState state = test::random_state(*cell, options, kNtmRows, false, 7);
  const MemoryState before = cell->memory_of(state.cell);
  const auto x = random_f64({kNtmRows, kNtmInput}, 4);
  const CellState next = cell->step(cell->project(x), state, {});
  const MemoryState after = cell->memory_of(next.cell);

  // Computes the controller as a separate cell that also reads the vectors read.
  const CellKind kind = GetParam() == Controller::gru ? CellKind::gru : CellKind::lstm;
  const auto controller = make_cell(kind, kNtmInput + 6, kNtmHidden, false);
  controller->to(torch::kFloat64);
  for (const std::string& name : test::parameter_names(*controller)) {
    const auto value = parameter(*cell, "controller." + name);
    test::set_parameter(
        *controller, name,
        name == "input_weight" ? at::cat({value, parameter(*cell, "reads_in.weight")}, 1) : value);
  }
  const bool has_cell = controller->has_cell();
  const CellState control = controller->step(
      controller->project(at::cat({x, before.reads.flatten(1)}, 1)),
      {state.hidden, has_cell ? state.cell.slice(1, 0, kNtmHidden) : torch::Tensor()}, {});
  const auto instructions = at::matmul(control.hidden, parameter(*cell, "interface.weight").t()) +
                            parameter(*cell, "interface.bias");
  for (int64_t row = 0; row < kNtmRows; ++row) {
    const NtmExpected expected = ntm_by_hand(options, numbers(instructions, row), before, row);
    expect_near(after.write_weights, row, expected.write_weights, "write weights");
    expect_near(after.read_weights, row, expected.read_weights, "read weights");
    expect_near(after.memory, row, expected.memory, "memory");
    expect_near(after.reads, row, expected.reads, "reads");
  }
  EXPECT_THAT(next.hidden,
              TensorNear(control.hidden + at::matmul(after.reads.flatten(1),
                                                     parameter(*cell, "reads_out.weight").t()),
                         1e-12));
  if (has_cell) {
    EXPECT_THAT(next.cell.slice(1, 0, kNtmHidden), TensorNear(control.cell, 1e-12));
  }
}

INSTANTIATE_TEST_SUITE_P(Controllers, NtmCellOfController,
                         testing::ValuesIn(enum_values<Controller>()), [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(NtmCell, BeginsWithAllHeadsAtTheFirstSlot) {
  const NtmCell cell(kNtmInput, kNtmHidden, false, test::small_memory());
  const CellState start = cell.start(kNtmRows, random_f64({1}, 1));
  const MemoryState memory = cell.memory_of(start.cell);
  const auto first = f64({1, 0, 0, 0}, {1, 4});
  EXPECT_THAT(memory.write_weights, TensorNear(first.expand({kNtmRows, 4}), 0.0));
  EXPECT_THAT(memory.read_weights, TensorNear(first.expand({kNtmRows, 2, 4}), 0.0));
  EXPECT_THAT(memory.memory,
              TensorNear(torch::full({kNtmRows, 4, 3}, 1e-6, torch::kFloat64), 1e-18));
  EXPECT_THAT(start.hidden, TensorNear(torch::zeros({kNtmRows, kNtmHidden}, torch::kFloat64), 0.0));
}

TEST(NtmCell, WeightsStayDistributionsOverALongSequence) {
  NtmCell cell(kNtmInput, kNtmHidden, false, test::small_memory());
  test::randomize(cell, 3);
  CellState state = cell.start(kNtmRows, random_f64({1}, 1));
  for (uint64_t t = 0; t < 50; ++t) {
    state = cell.step(cell.project(10 * random_f64({kNtmRows, kNtmInput}, t)), state, {});
  }
  const MemoryState memory = cell.memory_of(state.cell);
  EXPECT_THAT(memory.write_weights.sum(1),
              TensorNear(torch::ones({kNtmRows}, torch::kFloat64), 1e-12));
  EXPECT_THAT(memory.read_weights.sum(2),
              TensorNear(torch::ones({kNtmRows, 2}, torch::kFloat64), 1e-12));
  EXPECT_GE(memory.read_weights.min().item<double>(), 0.0);
}

}  // namespace
}  // namespace attend::nn
