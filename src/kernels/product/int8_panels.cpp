#include "kernels/product/int8_panels.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/cpu/instructions.h"
#include "kernels/cpu/parallel.h"
#include "kernels/product/int8.h"
#include "kernels/product/panel_kernels.h"

// Instructions that multiply four numbers at once need unsigned numbers of x, so 128 is added to
// each. Each sum then exceeds the result by its offset, 128 times the sum of the weight's row.

namespace attend::kernels {
namespace {

constexpr int kUnsigned = 128;

/// The kernels for instructions_in_use(); null if there are none.
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
#ifndef ATTEND_HAS_AMX
    case Instructions::amx:
#endif
      return &int8_avx512_vnni();
#ifdef ATTEND_HAS_AMX
    case Instructions::amx:
      return &int8_amx();
#endif
  }
#endif
  return nullptr;
}

bool is_unsigned(const Int8Kernels& kernels) {
  return kernels.depth == 4;
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
  if (kernels_ == nullptr) throw std::logic_error("Int8Panels: this CPU has no AVX2");
  const int64_t columns = rounded_up(outputs, kernels_->width) * kernels_->width;
  weight_ = numbers<int8_t>(columns * units() * kernels_->depth);
  offsets_ = numbers<int32_t>(columns);
  scales_ = numbers<float>(columns);
  std::fill_n(scales_.get(), columns, 0.0F);
  std::copy_n(scales, outputs, scales_.get());
  lay_out(w);
}

int64_t Int8Panels::units() const {
  return rounded_up(rounded_up(inputs_, kernels_->depth), kernels_->whole_units) *
         kernels_->whole_units;
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
    if (is_unsigned(*kernels_)) offsets_.get()[panel * width + column] = sum * kUnsigned;
  }
}

void Int8Panels::multiply(Matrix<const float> x, Matrix<float> y, Into into) const {
  if (x.rows == 0) return;
  const Numbers<float> scales = numbers<float>(x.rows);
  const Numbers<Int8Group> grouped =
      numbers<Int8Group>(rounded_up(x.rows, kernels_->whole_rows) * kernels_->whole_rows * units());
  const int64_t stride = units() * kernels_->depth;
  if (is_unsigned(*kernels_)) {
    auto* const to = reinterpret_cast<uint8_t*>(grouped.get());
    quantize(QuantizedRows<uint8_t>{
        .from = x, .to = to, .stride = stride, .scales = scales.get(), .added = kUnsigned});
  } else {
    auto* const to = reinterpret_cast<int16_t*>(grouped.get());
    quantize(QuantizedRows<int16_t>{x, to, stride, scales.get()});
  }
  kernels_->multiply({.rows = x.rows,
                      .units = units(),
                      .x = grouped.get(),
                      .weight = reinterpret_cast<const std::byte*>(weight_.get()),
                      .offsets = offsets_.get(),
                      .row_scales = scales.get(),
                      .column_scales = scales_.get(),
                      .y = y,
                      .into = into});
}

}  // namespace attend::kernels
