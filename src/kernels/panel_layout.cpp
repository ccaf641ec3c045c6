#include "kernels/panel_layout.h"

#ifdef ATTEND_AVX512
namespace attend::kernels {
namespace {

ATTEND_AVX512_INLINE __m256i rounded(__m512 x) {
  return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x));
}

/// x[0, count) along k, filled up with zero to whole units.
ATTEND_AVX512_INLINE void convert_along(const float* x, int64_t count, float* to) {
  std::copy_n(x, count, to);
}
ATTEND_AVX512_INLINE void convert_along(const float* x, int64_t count, Pair* to) {
  for (int64_t i = 0; i < count; i += 16) {
    const __m256i pairs = rounded(_mm512_maskz_loadu_ps(first_lanes(count - i), x + i));
    const auto lanes = static_cast<__mmask8>(first_lanes((count - i + 1) / 2));
    _mm256_mask_storeu_epi32(to + i / 2, lanes, pairs);
  }
}

/// The units of 16 columns of x [k, n], those beyond its last one zero.
ATTEND_AVX512_INLINE void convert_across(Matrix<const float> x, int64_t k, int64_t column,
                                         float* to) {
  const __mmask16 lanes = first_lanes(x.columns - column);
  _mm512_store_ps(to, _mm512_maskz_loadu_ps(lanes, x.data + k * x.stride + column));
}
ATTEND_AVX512_INLINE void convert_across(Matrix<const float> x, int64_t k, int64_t column,
                                         Pair* to) {
  const __mmask16 lanes = first_lanes(x.columns - column);
  const float* const from = x.data + k * x.stride + column;
  const __m256i first = rounded(_mm512_maskz_loadu_ps(lanes, from));
  const __mmask16 second_lanes = k + 1 < x.rows ? lanes : __mmask16{0};
  const __m256i second = rounded(_mm512_maskz_loadu_ps(second_lanes, from + x.stride));
  const __m512i upper = _mm512_slli_epi32(_mm512_cvtepu16_epi32(second), 16);
  _mm512_store_si512(to, _mm512_or_si512(_mm512_cvtepu16_epi32(first), upper));
}

}  // namespace

template <class Unit>
ATTEND_AVX512 void lay_out_columns(Matrix<const float> x, int64_t column, int64_t begin,
                                   int64_t end, Unit* to) {
  for (int64_t k = begin; k < end; k += kDepth<Unit>, to += kPanelWidth) {
    convert_across(x, k, column, to);
    convert_across(x, k, column + kPanelWidth / 2, to + kPanelWidth / 2);
  }
}

template <class Unit>
ATTEND_AVX512 void lay_out_rows(Matrix<const float> x, int64_t row, Unit* to) {
  constexpr int64_t kPart = 16;  // units turned at a time
  alignas(kPanelAlignment) Unit part[kPanelWidth][kPart] = {};
  const int64_t rows = std::min(kPanelWidth, x.rows - row);
  const int64_t units = units_of<Unit>(x.columns);
  for (int64_t begin = 0; begin < units; begin += kPart) {
    const int64_t k = begin * kDepth<Unit>;
    const int64_t count = std::min(kPart * kDepth<Unit>, x.columns - k);
    for (int64_t i = 0; i < rows; ++i) {
      convert_along(x.data + (row + i) * x.stride + k, count, part[i]);
    }
    for (int64_t unit = 0; unit < std::min(kPart, units - begin); ++unit, to += kPanelWidth) {
      for (int64_t i = 0; i < kPanelWidth; ++i) to[i] = part[i][unit];
    }
  }
}

ATTEND_AVX512 void round_rows(Matrix<const float> x, int64_t begin, int64_t end, int64_t k_begin,
                              int64_t k_end, Pair* to) {
  for (int64_t row = begin; row < end; ++row, to += units_of<Pair>(k_end - k_begin)) {
    convert_along(x.data + row * x.stride + k_begin, k_end - k_begin, to);
  }
}

template void lay_out_columns(Matrix<const float>, int64_t, int64_t, int64_t, float*);
template void lay_out_columns(Matrix<const float>, int64_t, int64_t, int64_t, Pair*);
template void lay_out_rows(Matrix<const float>, int64_t, float*);
template void lay_out_rows(Matrix<const float>, int64_t, Pair*);

}  // namespace attend::kernels
#endif
