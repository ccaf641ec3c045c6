#include "kernels/bf16.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "kernels/clones.h"
#include "kernels/onednn.h"
#include "kernels/parallel.h"

namespace attend::kernels {
namespace {

ATTEND_CLONES void round_all(const float* __restrict from, Bf16* __restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(from[i]);
    // Half of the last kept bit, a little less where that bit is 0, carries into it.
    const uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    const bool is_number = (bits & 0x7fffffffU) <= 0x7f800000U;
    to[i] = static_cast<Bf16>(is_number ? rounded : 0x7fc0U);
  }
}

}  // namespace

void to_bf16(const float* from, Bf16* to, int64_t count) {
  constexpr int64_t kGrain = int64_t{1} << 16;
  parallel_ranges(count, kGrain, [&](int64_t begin, int64_t end) {
    round_all(from + begin, to + begin, end - begin);
  });
}

void to_bf16(Matrix<const float> from, Bf16* to) {
  if (from.stride == from.columns) {
    to_bf16(from.data, to, from.rows * from.columns);
    return;
  }
  for (int64_t row = 0; row < from.rows; ++row) {
    round_all(from.data + row * from.stride, to + row * from.columns, from.columns);
  }
}

bool has_fast_bf16() {
#if defined(ATTEND_ONEDNN) && defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

#ifdef ATTEND_ONEDNN

namespace {

dnnl::memory::desc layout(int64_t rows, int64_t columns, bool transposed) {
  const dnnl::memory::dims strides =
      transposed ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1};
  return {{rows, columns}, dnnl::memory::data_type::bf16, strides};
}

dnnl::matmul::primitive_desc describe(const Bf16Product::Sizes& sizes, int64_t stride_c,
                                      Into into) {
  const dnnl::memory::desc c({sizes.m, sizes.n}, dnnl::memory::data_type::f32,
                             dnnl::memory::dims{stride_c, 1});
  const dnnl::matmul::desc product(layout(sizes.m, sizes.k, sizes.a_transposed),
                                   layout(sizes.k, sizes.n, sizes.b_transposed), c);
  return {product, onednn::attributes(into), onednn::engine()};
}

}  // namespace

struct Bf16Product::Primitive {
  onednn::Product product;

  Primitive(const Sizes& sizes, int64_t stride_c, Into into)
      : product(describe(sizes, stride_c, into)) {}

  void execute(const Bf16* a, const Bf16* b, float* c) { product(a, b, c); }
};

#else

struct Bf16Product::Primitive {
  Primitive(const Sizes&, int64_t, Into) {
    throw std::logic_error("Bf16Product: this build has no oneDNN");
  }
  void execute(const Bf16*, const Bf16*, float*) {}
};

#endif

Bf16Product::Bf16Product(const Sizes& sizes, int64_t stride_c, Into into)
    : sizes_(sizes), stride_c_(stride_c), into_(into) {
  // oneDNN divides by the sizes.
  if (sizes.m > 0 && sizes.n > 0 && sizes.k > 0) {
    primitive_ = std::make_unique<Primitive>(sizes, stride_c, into);
  }
}

void Bf16Product::operator()(const Bf16* a, const Bf16* b, float* c) {
  if (primitive_ != nullptr) {
    primitive_->execute(a, b, c);
  } else if (into_ == Into::overwrite) {
    for (int64_t row = 0; row < sizes_.m; ++row) std::fill_n(c + row * stride_c_, sizes_.n, 0.0F);
  }
}

Bf16Product::~Bf16Product() = default;
Bf16Product::Bf16Product(Bf16Product&&) noexcept = default;
Bf16Product& Bf16Product::operator=(Bf16Product&&) noexcept = default;

}  // namespace attend::kernels
