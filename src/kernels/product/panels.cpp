#include "kernels/product/panels.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/cpu/instructions.h"
#include "kernels/product/panel_kernels.h"

namespace attend::kernels {
namespace {

/// The kernels for instructions_in_use(); null if there are none.
const PanelKernels* kernels_for(Precision precision) {
#ifdef ATTEND_HAS_PANELS
  const Instructions in_use = instructions_in_use();
  if (precision == Precision::bf16) {
#ifdef ATTEND_HAS_AMX
    if (in_use >= Instructions::amx) return &panels_amx();
#endif
    return in_use >= Instructions::avx512_bf16 ? &panels_avx512_bf16() : nullptr;
  }
  if (in_use >= Instructions::avx512) return &panels_avx512();
  if (in_use >= Instructions::avx2) return &panels_avx2();
#else
  static_cast<void>(precision);
#endif
  return nullptr;
}

void clear(Matrix<float> c) {
  for (int64_t row = 0; row < c.rows; ++row) std::fill_n(c.data + row * c.stride, c.columns, 0.0F);
}

}  // namespace

bool has_panels(Precision precision) {
  return kernels_for(precision) != nullptr;
}

Panels::Panels(Matrix<const float> b, bool transposed, Precision precision)
    : rows_(transposed ? b.columns : b.rows),
      columns_(transposed ? b.rows : b.columns),
      kernels_(kernels_for(precision)) {
  if (kernels_ == nullptr) throw std::logic_error("Panels: this CPU lacks the precision");
  units_ = numbers<std::byte>(static_cast<int64_t>(kernels_->size(rows_, columns_)));
  kernels_->lay_out(b, transposed, units_.get());
}

void Panels::multiply(Matrix<const float> a, bool a_transposed, Matrix<float> c, Into into) const {
  if ((a_transposed ? a.rows : a.columns) != rows_ || c.columns != columns_ ||
      (a_transposed ? a.columns : a.rows) != c.rows) {
    throw std::logic_error("Panels: the sizes of a product do not match");
  }
  if (c.rows == 0 || c.columns == 0) return;
  if (rows_ == 0) {
    if (into == Into::overwrite) clear(c);
    return;
  }
  kernels_->multiply(
      {.a = a, .a_transposed = a_transposed, .b = units_.get(), .k = rows_, .c = c, .into = into});
}

}  // namespace attend::kernels
