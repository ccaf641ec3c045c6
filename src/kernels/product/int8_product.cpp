#include <algorithm>

#include "kernels/cpu/block_memory.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/parallel.h"
#include "kernels/product/int8.h"

// Multiplies 16-bit numbers and adds pairs of products to 32-bit sums: pmaddwd, which every x86-64
// CPU has and which cannot overflow here. The compiler emits it for the loop below if x has 16
// bits; w stays int8 in memory and is widened when loaded. Newer CPUs run int8_panels.h.

namespace attend::kernels {
namespace {

constexpr int64_t kTileRows = 2;     // rows of x whose sums stay in registers
constexpr int64_t kTileOutputs = 4;  // rows of w, likewise

struct Int8Product {
  int64_t rows = 0;
  int64_t outputs = 0;
  int64_t inputs = 0;
  const int16_t* x = nullptr;
  const int8_t* w = nullptr;
  int32_t* sums = nullptr;
};

template <int64_t kRows, int64_t kOutputs>
void multiply_tile(const Int8Product& product, int64_t row, int64_t output) {
  const int64_t inputs = product.inputs;
  const int16_t* const x = product.x + row * inputs;
  const int8_t* const w = product.w + output * inputs;
  int32_t sums[kRows][kOutputs] = {};
  for (int64_t k = 0; k < inputs; ++k) {
    ATTEND_UNROLLED(2)
    for (int64_t i = 0; i < kRows; ++i) {
      ATTEND_UNROLLED(4)
      for (int64_t j = 0; j < kOutputs; ++j) {
        sums[i][j] += int32_t{x[i * inputs + k]} * int32_t{int16_t{w[j * inputs + k]}};
      }
    }
  }
  for (int64_t i = 0; i < kRows; ++i) {
    int32_t* const to = product.sums + (row + i) * product.outputs + output;
    for (int64_t j = 0; j < kOutputs; ++j) to[j] = sums[i][j];
  }
}

/// Multiplies all rows of x by kOutputs rows of w.
template <int64_t kOutputs>
void multiply_strip(const Int8Product& product, int64_t output) {
  int64_t row = 0;
  for (; row + kTileRows <= product.rows; row += kTileRows) {
    multiply_tile<kTileRows, kOutputs>(product, row, output);
  }
  for (; row < product.rows; ++row) multiply_tile<1, kOutputs>(product, row, output);
}

void multiply_outputs(const Int8Product& product, int64_t begin, int64_t end) {
  int64_t output = begin;
  for (; output + kTileOutputs <= end; output += kTileOutputs) {
    multiply_strip<kTileOutputs>(product, output);
  }
  for (; output < end; ++output) multiply_strip<1>(product, output);
}

}  // namespace

void int8_product(int64_t rows, int64_t outputs, int64_t inputs, const int8_t* x, const int8_t* w,
                  int32_t* sums) {
  const Numbers<int16_t> wide = numbers<int16_t>(rows * inputs);
  std::copy_n(x, rows * inputs, wide.get());
  const Int8Product product{
      .rows = rows, .outputs = outputs, .inputs = inputs, .x = wide.get(), .w = w, .sums = sums};
  constexpr int64_t kOutputsOfThread = 64;  // fewest outputs that are worth starting a thread
  parallel_ranges(outputs, kOutputsOfThread,
                  [&](int64_t begin, int64_t end) { multiply_outputs(product, begin, end); });
}

}  // namespace attend::kernels
