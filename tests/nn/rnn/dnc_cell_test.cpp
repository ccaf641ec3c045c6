#include "nn/rnn/dnc_cell.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/rnn/lstm_cell.h"
#include "tests/nn/rnn/memory_cases.h"
#include "tests/support/gradcheck.h"
#include "tests/support/tensors.h"

namespace attend::nn {
namespace {

using test::numbers;
using test::parameter;
using test::random_f64;
using test::TensorNear;

constexpr int64_t kDncRows = 2, kDncInput = 5, kDncHidden = 6;

using DncRow = std::vector<double>;

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

double one_plus(double x) {
  return 1 + std::log(1 + std::exp(x));
}

/// One sequence of a DNC computed number by number, as in Graves et al. (2016), Methods.
class PlainDnc {
 public:
  PlainDnc(const MemoryOptions& options, const MemoryState& state, int64_t row)
      : m_(static_cast<std::size_t>(options.slots)),
        w_(static_cast<std::size_t>(options.width)),
        r_(static_cast<std::size_t>(options.heads)),
        sharp_(options.sharp_links),
        memory(numbers(state.memory, row)),
        write_weights(numbers(state.write_weights, row)),
        read_weights(numbers(state.read_weights, row)),
        usage(numbers(state.usage, row)),
        precedence(numbers(state.precedence, row)),
        link(numbers(state.link, row)) {}

  /// instructions: for each read head a key, strength, free gate, three modes and, with sharp
  /// links, two exponents; then the write key, its strength, the erase and write vectors,
  /// allocation gate and write gate.
  void step(const DncRow& instructions) {
    const double* const writer = instructions.data() + r_ * reader_size();
    use(instructions);
    const DncRow chosen = write_to(writer);
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t k = 0; k < w_; ++k) {
        double& number = memory[i * w_ + k];
        number = number * (1 - chosen[i] * logistic(writer[w_ + 1 + k])) +
                 chosen[i] * writer[2 * w_ + 1 + k];
      }
    }
    write_weights = chosen;
    remember();
    for (std::size_t r = 0; r < r_; ++r) read(r, instructions.data() + r * reader_size());
  }

 private:
  [[nodiscard]] std::size_t reader_size() const { return w_ + 5 + (sharp_ ? 2 : 0); }

  [[nodiscard]] DncRow content(const double* key, double strength) const {
    DncRow weights(m_);
    double sum = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      double dot = 0, one = 1e-6, other = 1e-6;
      for (std::size_t k = 0; k < w_; ++k) {
        dot += key[k] * memory[i * w_ + k];
        one += key[k] * key[k];
        other += memory[i * w_ + k] * memory[i * w_ + k];
      }
      sum += weights[i] = std::exp(strength * dot / std::sqrt(one * other));
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  void use(const DncRow& instructions) {
    for (std::size_t i = 0; i < m_; ++i) {
      usage[i] = usage[i] + write_weights[i] - usage[i] * write_weights[i];
      for (std::size_t r = 0; r < r_; ++r) {
        usage[i] *=
            1 - logistic(instructions[r * reader_size() + w_ + 1]) * read_weights[r * m_ + i];
      }
    }
  }

  [[nodiscard]] DncRow write_to(const double* writer) const {
    const DncRow found = content(writer, one_plus(writer[w_]));
    const double allocation_gate = logistic(writer[3 * w_ + 1]);
    const double write_gate = logistic(writer[3 * w_ + 2]);
    DncRow chosen(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      double allocated = 1 - used(i);
      for (std::size_t j = 0; j < m_; ++j) {
        if (usage[j] < usage[i]) allocated *= used(j);
      }
      chosen[i] = write_gate * (allocation_gate * allocated + (1 - allocation_gate) * found[i]);
    }
    return chosen;
  }

  [[nodiscard]] double used(std::size_t slot) const { return usage[slot] * (1 - 1e-6) + 1e-6; }

  void remember() {
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t j = 0; j < m_; ++j) {
        double& linked = link[i * m_ + j];
        linked = i == j ? 0.0
                        : (1 - write_weights[i] - write_weights[j]) * linked +
                              write_weights[i] * precedence[j];
      }
    }
    const double sum = std::accumulate(write_weights.begin(), write_weights.end(), 0.0);
    for (std::size_t i = 0; i < m_; ++i) {
      precedence[i] = (1 - sum) * precedence[i] + write_weights[i];
    }
  }

  /// S(d, s) of Csordas & Schmidhuber (2019), for forward and backward weights.
  void sharpen(DncRow& weights, double instruction) const {
    if (!sharp_) return;
    const double exponent = one_plus(instruction);
    double sum = 0;
    for (double& weight : weights) sum += weight = std::pow(weight, exponent);
    for (double& weight : weights) weight /= sum;
  }

  void read(std::size_t head, const double* instructions) {
    const DncRow found = content(instructions, one_plus(instructions[w_]));
    const double* const modes = instructions + w_ + 2;
    const double sum = std::exp(modes[0]) + std::exp(modes[1]) + std::exp(modes[2]);
    DncRow back(m_), on(m_), weights(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      for (std::size_t j = 0; j < m_; ++j) {
        back[i] += link[j * m_ + i] * read_weights[head * m_ + j];
        on[i] += link[i * m_ + j] * read_weights[head * m_ + j];
      }
    }
    sharpen(back, instructions[w_ + 5]);
    sharpen(on, instructions[w_ + 6]);
    for (std::size_t i = 0; i < m_; ++i) {
      weights[i] = (std::exp(modes[0]) * back[i] + std::exp(modes[1]) * found[i] +
                    std::exp(modes[2]) * on[i]) /
                   sum;
    }
    std::copy(weights.begin(), weights.end(),
              read_weights.begin() + static_cast<std::ptrdiff_t>(head * m_));
  }

  std::size_t m_, w_, r_;
  bool sharp_;

 public:
  DncRow memory, write_weights, read_weights, usage, precedence, link;
};

void expect_row(const torch::Tensor& actual, int64_t row, const DncRow& expected,
                const char* what) {
  const DncRow found = numbers(actual, row);
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-12) << what << " " << i;
  }
}

MemoryOptions dnc_memory(bool sharp_links) {
  MemoryOptions options = test::small_memory();
  options.sharp_links = sharp_links;
  return options;
}

/// Parameter: with or without sharp links.
class DncCellOfLinks : public testing::TestWithParam<bool> {};

TEST_P(DncCellOfLinks, StepsAsThePaperNumberByNumber) {
  const MemoryOptions options = dnc_memory(GetParam());
  DncCell cell(kDncInput, kDncHidden, false, options);
  test::randomize(cell, 3);
  const CellState state = test::random_state(cell, options, kDncRows, true, 7);
  const MemoryState before = cell.memory_of(state.cell);
  const auto x = random_f64({kDncRows, kDncInput}, 4);
  const CellState next = cell.step(cell.project(x), state, {});
  const MemoryState after = cell.memory_of(next.cell);

  LstmCell controller(kDncInput + 6, kDncHidden, false);
  controller.to(torch::kFloat64);
  for (const std::string& name : test::parameter_names(controller)) {
    const auto value = parameter(cell, "controller." + name);
    test::set_parameter(
        controller, name,
        name == "input_weight" ? at::cat({value, parameter(cell, "reads_in.weight")}, 1) : value);
  }
  const CellState control =
      controller.step(controller.project(at::cat({x, before.reads.flatten(1)}, 1)),
                      {state.hidden, state.cell.slice(1, 0, kDncHidden)}, {});
  const auto instructions = at::matmul(control.hidden, parameter(cell, "interface.weight").t()) +
                            parameter(cell, "interface.bias");
  for (int64_t row = 0; row < kDncRows; ++row) {
    PlainDnc plain(options, before, row);
    plain.step(numbers(instructions, row));
    expect_row(after.usage, row, plain.usage, "usage");
    expect_row(after.write_weights, row, plain.write_weights, "write weights");
    expect_row(after.memory, row, plain.memory, "memory");
    expect_row(after.link, row, plain.link, "link");
    expect_row(after.precedence, row, plain.precedence, "precedence");
    expect_row(after.read_weights, row, plain.read_weights, "read weights");
  }
  EXPECT_THAT(after.reads, TensorNear(at::bmm(after.read_weights, after.memory), 1e-12));
  EXPECT_THAT(next.hidden,
              TensorNear(control.hidden + at::matmul(after.reads.flatten(1),
                                                     parameter(cell, "reads_out.weight").t()),
                         1e-12));
}

// Runs three steps, from a used memory and from an empty one.
TEST_P(DncCellOfLinks, GradientsMatchCentralDifferences) {
  const MemoryOptions options = dnc_memory(GetParam());
  DncCell cell(kDncInput, kDncHidden, false, options);
  test::randomize(cell, 3);
  const auto x = random_f64({3, kDncRows, kDncInput}, 4).requires_grad_();
  const CellState used = test::random_state(cell, options, kDncRows, true, 7);
  for (const CellState& first : {used, cell.start(kDncRows, x)}) {
    const auto run = [&] {
      CellState state = first;
      for (const torch::Tensor& step : x.unbind(0))
        state = cell.step(cell.project(step), state, {});
      return at::cat({state.hidden, state.cell}, 1);
    };
    EXPECT_LT(test::max_gradient_error(run, test::leaves(cell, {x})), 1e-6);
  }
}

TEST_P(DncCellOfLinks, BeginsWithFreeGatesNearlyClosed) {
  const MemoryOptions options = dnc_memory(GetParam());
  DncCell cell(kDncInput, kDncHidden, false, options);
  test::randomize(cell, 3);
  for (const auto& module : cell.modules(/*include_self=*/false)) {
    dynamic_cast<Block&>(*module).initialize(at::detail::createCPUGenerator(1));
  }
  const int64_t reader = options.width + (options.sharp_links ? 7 : 5);
  auto expected = torch::zeros({options.heads * reader + 3 * options.width + 3}, torch::kFloat64);
  for (int64_t head = 0; head < options.heads; ++head) {
    expected[head * reader + options.width + 1] = -4.0;
  }
  EXPECT_THAT(parameter(cell, "interface.bias"), TensorNear(expected, 0.0));
}

INSTANTIATE_TEST_SUITE_P(Links, DncCellOfLinks, testing::Bool(),
                         [](const auto& test_case) { return test_case.param ? "sharp" : "plain"; });

TEST(DncCell, BeginsWithNothing) {
  const DncCell cell(kDncInput, kDncHidden, false, test::small_memory());
  const CellState start = cell.start(kDncRows, random_f64({1}, 1));
  EXPECT_EQ(start.cell.sizes(), (torch::IntArrayRef{kDncRows, 6 + 6 + 12 + 4 + 8 + 4 + 4 + 16}));
  EXPECT_EQ(start.cell.abs().sum().item<double>(), 0.0);
}

// Usage lies within [0, 1], and so do the sums of precedence, of weights, and of each row and
// column of the link matrix.
TEST(DncCell, SharesStaySharesOverALongSequence) {
  DncCell cell(kDncInput, kDncHidden, false, test::small_memory());
  test::randomize(cell, 3);
  CellState state = cell.start(kDncRows, random_f64({1}, 1));
  for (uint64_t t = 0; t < 50; ++t) {
    state = cell.step(cell.project(10 * random_f64({kDncRows, kDncInput}, t)), state, {});
  }
  const MemoryState memory = cell.memory_of(state.cell);
  for (const torch::Tensor& share :
       {memory.usage, memory.precedence.sum(1), memory.write_weights.sum(1),
        memory.read_weights.sum(2), memory.link.sum(1), memory.link.sum(2)}) {
    EXPECT_GE(share.min().item<double>(), 0.0);
    EXPECT_LE(share.max().item<double>(), 1.0 + 1e-12);
  }
}

}  // namespace
}  // namespace attend::nn
