#include "kernels/int8_panels.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "kernels/instructions.h"
#include "kernels/int8.h"
#include "kernels/panel_kernels.h"
#include "kernels/parallel.h"

// Instructions that multiply four numbers at once want those of x without a sign: 128 is added to
// each, and taken off every sum as 128 times the sum of the weight's row, its offset.

namespace attend::kernels {
namespace {

constexpr int kUnsigned = 128;
constexpr int64_t kRowsOfThread = 16;  // at least

/// Those of the instructions in use; null: none.
const Int8Kernels* int8_kernels_in_use() {
#ifdef ATTEND_HAS_PANELS
  switch (instructions_in_use()) {
    case Instructions::baseline:
      return nullptr;
    case Instructions::avx2:
      return &int8_avx2();
    case Instructions::avx2_vnni:
      return &int8_avx2_vnni();
    case Instructions::avx512:
      return &int8_avx512();
    case Instructions::avx512_vnni:
    case Instructions::avx512_bf16:
      return &int8_avx512_vnni();
  }
#endif
  return nullptr;
}

bool is_unsigned(const Int8Kernels& kernels) {
  return kernels.depth == 4;
}

/// A row of x as units, filled up with what the weight's zeros are multiplied by.
void to_units(const int8_t* x, int64_t count, const Int8Kernels& kernels, Int8Group* to) {
  if (is_unsigned(kernels)) {
    auto* const bytes = reinterpret_cast<uint8_t*>(to);
    for (int64_t k = 0; k < count; ++k) bytes[k] = static_cast<uint8_t>(x[k] + kUnsigned);
  } else {
    auto* const words = reinterpret_cast<unsigned char*>(to);
    for (int64_t k = 0; k < count; ++k) {
      const int16_t wide = x[k];
      std::memcpy(words + 2 * k, &wide, sizeof(wide));
    }
  }
}

int64_t rounded_up(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit;
}

}  // namespace

bool has_int8_panels() {
  return int8_kernels_in_use() != nullptr;
}

Int8Panels::Int8Panels(int64_t outputs, int64_t inputs, const int8_t* w, const float* scales)
    : outputs_(outputs), inputs_(inputs), kernels_(int8_kernels_in_use()) {
  if (kernels_ == nullptr) throw std::logic_error("Int8Panels: not on this CPU");
  const int64_t columns = rounded_up(outputs, kernels_->width) * kernels_->width;
  weight_ = numbers<int8_t>(columns * units() * kernels_->depth);
  offsets_ = numbers<int32_t>(columns);
  scales_ = numbers<float>(columns);
  std::fill_n(scales_.get(), columns, 0.0F);
  std::copy_n(scales, outputs, scales_.get());
  lay_out(w);
}

int64_t Int8Panels::units() const {
  return rounded_up(inputs_, kernels_->depth);
}

void Int8Panels::lay_out(const int8_t* w) {
  parallel_ranges(rounded_up(outputs_, kernels_->width), 1, [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) lay_out_panel(w, panel);
  });
}

void Int8Panels::lay_out_panel(const int8_t* w, int64_t panel) {
  const int64_t width = kernels_->width, depth = kernels_->depth, size = units() * width * depth;
  int8_t* const to = weight_.get() + panel * size;
  std::fill_n(to, size, int8_t{0});
  std::fill_n(offsets_.get() + panel * width, width, 0);
  for (int64_t column = 0; column < std::min(width, outputs_ - panel * width); ++column) {
    const int8_t* const row = w + (panel * width + column) * inputs_;
    int32_t sum = 0;
    for (int64_t k = 0; k < inputs_; ++k) {
      to[(k / depth * width + column) * depth + k % depth] = row[k];
      sum += row[k];
    }
    if (is_unsigned(*kernels_)) offsets_[panel * width + column] = sum * kUnsigned;
  }
}

void Int8Panels::multiply(Matrix<const float> x, Matrix<float> y, Into into) const {
  if (x.rows == 0) return;
  const Numbers<int8_t> whole = numbers<int8_t>(x.rows * inputs_);
  const Numbers<float> scales = numbers<float>(x.rows);
  const Numbers<Int8Group> grouped = numbers<Int8Group>(x.rows * units());
  parallel_ranges(x.rows, kRowsOfThread, [&](int64_t begin, int64_t end) {
    const Matrix<const float> part{x.data + begin * x.stride, end - begin, x.columns, x.stride};
    to_int8(part, whole.get() + begin * inputs_, scales.get() + begin);
    std::fill(grouped.get() + begin * units(), grouped.get() + end * units(), 0U);
    for (int64_t row = begin; row < end; ++row) {
      to_units(whole.get() + row * inputs_, inputs_, *kernels_, grouped.get() + row * units());
    }
  });
  kernels_->multiply({x.rows, units(), grouped.get(),
                      reinterpret_cast<const std::byte*>(weight_.get()), offsets_.get(),
                      scales.get(), scales_.get(), y, into});
}

}  // namespace attend::kernels
