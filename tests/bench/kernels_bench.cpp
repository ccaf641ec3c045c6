// Times kernels at the sizes of the reference job (tests/bench/reference.yaml): batches of 80
// sentences of about 15 pieces, sizes 512, 8,000 words. OMP_NUM_THREADS sets the number of threads.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention/attention_energy.h"
#include "kernels/cells/gru.h"
#include "kernels/cells/lstm.h"
#include "kernels/layer/optimizer.h"
#include "kernels/loop/loop.h"
#include "kernels/output/cross_entropy.h"
#include "kernels/product/gemm.h"
#include "kernels/product/packed_weight.h"
#include "kernels/product/panels.h"
#include "numbers.h"

namespace attend::kernels {
namespace {

constexpr int64_t kRows = 80;
constexpr int64_t kPositions = 15;
constexpr int64_t kSize = 512;
constexpr int64_t kMemory = 2 * kSize;
constexpr int64_t kWords = 8000;
constexpr int64_t kTokens = kRows * kPositions;

/// The product c [m, n] = a [m, k] b [k, n] of a layer, where a or b may be stored transposed.
struct Shape {
  const char* name;
  int64_t m, n, k;
  bool a_transposed, b_transposed;
};

constexpr Shape kShapes[] = {
    {"square", 2048, 2048, 2048, false, false},
    {"gates_of_all_steps", kTokens, 4 * kSize, kSize, false, true},
    {"gates_of_a_step", kRows, 4 * kSize, kSize, false, true},
    {"gates_of_a_step_backward", kRows, kSize, 4 * kSize, false, false},
    {"gates_weight_gradient", 4 * kSize, kSize, kTokens, true, false},
    {"logits", kTokens, kWords, kSize, false, true},
    {"logits_backward", kTokens, kSize, kWords, false, false},
    {"logits_weight_gradient", kWords, kSize, kTokens, true, false},
};

void count_flops(benchmark::State& state, const Shape& shape) {
  using benchmark::Counter;
  const auto flops = static_cast<double>(2 * shape.m * shape.n * shape.k);
  state.counters["FLOP/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
}

Matrix<const float> operand(const float* data, int64_t rows, int64_t columns, bool transposed) {
  if (transposed) return {data, columns, rows, rows};
  return {data, rows, columns, columns};
}

/// The matrices of one product.
struct Product {
  std::vector<float> left, right, result;
  Matrix<const float> a, b;
  Matrix<float> c;

  explicit Product(const Shape& shape)
      : left(numbers(shape.m * shape.k)),
        right(numbers(shape.k * shape.n)),
        result(static_cast<std::size_t>(shape.m * shape.n)),
        a(operand(left.data(), shape.m, shape.k, shape.a_transposed)),
        b(operand(right.data(), shape.k, shape.n, shape.b_transposed)),
        c{result.data(), shape.m, shape.n, shape.n} {}
};

bool is_possible(benchmark::State& state, Precision precision) {
  const bool possible = precision == Precision::full || has_panels(precision);
  if (!possible) state.SkipWithError("this CPU has no fast bf16");
  return possible;
}

void gemm(benchmark::State& state, const Shape& shape, Precision precision) {
  if (!is_possible(state, precision)) return;
  const Product data(shape);
  for (auto _ : state) {
    if (shape.a_transposed) {
      product_tn(data.a, data.b, data.c, Into::overwrite, precision);
    } else if (shape.b_transposed) {
      product_nt(data.a, data.b, data.c, Into::overwrite, precision);
    } else {
      product_nn(data.a, data.b, data.c, Into::overwrite, precision);
    }
  }
  count_flops(state, shape);
}

/// Multiplies by an operand that is laid out in advance.
void gemm_laid_out(benchmark::State& state, const Shape& shape, Precision precision) {
  if (!is_possible(state, precision)) return;
  const Product data(shape);
  const Operand<float> right(data.b, shape.b_transposed, precision);
  for (auto _ : state) right.multiply(data.a, data.c, Into::overwrite);
  count_flops(state, shape);
}

/// A weight [n, k] of a model, as used in translation; kPackedRows are the numbers of hypotheses.
struct PackedShape {
  int64_t n, k;
};

constexpr PackedShape kPackedShapes[] = {
    {4 * kSize, kSize}, {4 * kSize, kMemory}, {kSize, 4 * kSize}, {kWords, kSize}};
constexpr int64_t kPackedRows[] = {1, 5, 20, 80, 320};

void packed(benchmark::State& state, const PackedShape& shape, int64_t rows, WeightType type) {
  if (!has_packed(type)) return state.SkipWithError("this CPU has no fast bf16");
  const Product data({"", rows, shape.n, shape.k, false, true});
  const PackedWeight weight(data.b, type);
  for (auto _ : state) weight.multiply(data.a, data.c, Into::overwrite);
  count_flops(state, {"", rows, shape.n, shape.k, false, true});
}

void lstm_forward(benchmark::State& state) {
  std::vector<float> gates = numbers(kRows * 4 * kSize), before = numbers(kRows * kSize);
  std::vector<float> cell = before, hidden = before;
  const LstmStep<float> step{kRows, kSize, gates.data(), before.data(), cell.data(), hidden.data()};
  for (auto _ : state) lstm_step(step);
}

void lstm_backward(benchmark::State& state) {
  const std::vector<float> gates = numbers(kRows * 4 * kSize), each = numbers(kRows * kSize);
  std::vector<float> d_before(each.size()), d_gates(gates.size());
  const LstmStepGradient<float> step{kRows,       kSize,           gates.data(),
                                     each.data(), each.data(),     each.data(),
                                     each.data(), d_before.data(), d_gates.data()};
  for (auto _ : state) lstm_step_gradient(step);
}

void gru_forward(benchmark::State& state) {
  std::vector<float> from_input = numbers(kRows * 3 * kSize), from_state = from_input;
  const std::vector<float> bias = numbers(kSize), before = numbers(kRows * kSize);
  std::vector<float> hidden(before.size());
  const GruStep<float> step{kRows,       kSize,         from_input.data(), from_state.data(),
                            bias.data(), before.data(), hidden.data()};
  for (auto _ : state) gru_step(step);
}

void gru_backward(benchmark::State& state) {
  const std::vector<float> gates = numbers(kRows * 3 * kSize), each = numbers(kRows * kSize);
  std::vector<float> d_before(each.size()), d_input(gates.size()), d_state(gates.size());
  const GruStepGradient<float> step{kRows,           kSize,          gates.data(),
                                    gates.data(),    each.data(),    each.data(),
                                    d_before.data(), d_input.data(), d_state.data()};
  for (auto _ : state) gru_step_gradient(step);
}

/// Inputs and outputs of attention over sentences of lengths 8 to 15, with their gradients.
struct Attended {
  Steps steps = Steps({kRows});
  std::vector<float> keys = numbers(kTokens * kSize), values = numbers(kTokens * kMemory);
  std::vector<float> vector = numbers(kSize), query = numbers(kRows * kSize);
  std::vector<float> weights = numbers(kTokens), context = numbers(kRows * kMemory);
  std::vector<float> d_keys = keys, d_values = values, d_vector = vector, d_query = query;
  std::vector<float> d_weights = weights, d_context = context;
  std::vector<int64_t> lengths;

  Attended() {
    for (int64_t row = 0; row < kRows; ++row) lengths.push_back(kPositions - row % 8);
  }
  [[nodiscard]] std::unique_ptr<Operation> operation() {
    AttentionMemory<float> memory{kPositions, kMemory, values.data(), d_values.data(),
                                  lengths.data()};
    AttentionResult<float> result;
    result.weights = {weights.data(), d_weights.data(), &steps, kPositions};
    result.context = {context.data(), d_context.data(), &steps, kMemory};
    return attention<float>(memory, {},
                            tanh_energy<float>({keys.data(), d_keys.data(), kPositions, kSize},
                                               {query.data(), d_query.data(), &steps, kSize},
                                               {vector.data(), d_vector.data(), kSize}),
                            result);
  }
};

void attention_forward(benchmark::State& state) {
  Attended data;
  const auto operation = data.operation();
  for (auto _ : state) operation->forward(0);
}

void attention_backward(benchmark::State& state) {
  Attended data;
  const auto operation = data.operation();
  operation->forward(0);
  for (auto _ : state) operation->backward(0);
}

void cross_entropy_rows(benchmark::State& state) {
  std::vector<float> logits = numbers(kTokens * kWords);
  const std::vector<float> bias = numbers(kWords);
  std::vector<int64_t> targets;
  for (int64_t row = 0; row < kTokens; ++row) targets.push_back(row * 31 % kWords);
  std::vector<double> nll(targets.size()), objective(targets.size());
  const CrossEntropyRows<float> rows{kTokens,        kWords, logits.data(), bias.data(),
                                     targets.data(), 0.1,    nll.data(),    objective.data()};
  for (auto _ : state) cross_entropy(rows);
}

/// Uses the parameter count of the reference job.
void adam(benchmark::State& state) {
  constexpr int64_t kCount = 21'500'000;
  std::vector<float> values(kCount, 1.0F), gradients(kCount), mean(kCount), square(kCount, 1.0F);
  const AdamStep<float> step{kCount, values.data(), gradients.data(), mean.data(), square.data()};
  for (auto _ : state) adam_step(step);
}

void register_products() {
  const auto add = [](const std::string& name, const Shape& shape, auto run) {
    for (const Precision precision : {Precision::full, Precision::bf16}) {
      const std::string type = precision == Precision::bf16 ? "/bf16" : "/f32";
      benchmark::RegisterBenchmark((name + shape.name + type).c_str(), run, shape, precision)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
  };
  for (const Shape& shape : kShapes) {
    add("gemm/", shape, gemm);
    if (!shape.a_transposed) add("gemm_laid_out/", shape, gemm_laid_out);
  }
}

void register_packed() {
  const std::pair<const char*, WeightType> kTypes[] = {
      {"f32", WeightType::f32}, {"bf16", WeightType::bf16}, {"int8", WeightType::int8}};
  for (const PackedShape& shape : kPackedShapes) {
    for (const int64_t rows : kPackedRows) {
      for (const auto& [name, type] : kTypes) {
        const std::string size = std::to_string(shape.k) + "_to_" + std::to_string(shape.n);
        benchmark::RegisterBenchmark(
            ("packed/" + size + "/rows" + std::to_string(rows) + "/" + name).c_str(), packed, shape,
            rows, type)
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

void register_steps() {
  const std::pair<const char*, void (*)(benchmark::State&)> kSteps[] = {
      {"lstm/forward", lstm_forward},
      {"lstm/backward", lstm_backward},
      {"gru/forward", gru_forward},
      {"gru/backward", gru_backward},
      {"attention/forward", attention_forward},
      {"attention/backward", attention_backward},
      {"cross_entropy", cross_entropy_rows},
      {"adam", adam}};
  for (const auto& [name, run] : kSteps) {
    benchmark::RegisterBenchmark(name, run)->UseRealTime()->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace attend::kernels

int main(int argc, char** argv) {
  attend::kernels::register_products();
  attend::kernels::register_packed();
  attend::kernels::register_steps();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
