#include "kernels/product/packed_weight.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/product/int8.h"
#include "kernels/product/int8_panels.h"
#include "kernels/product/panels.h"

namespace attend::kernels {

/// A weight in one of the types.
class PackedLayout {
 public:
  virtual ~PackedLayout() = default;
  virtual void multiply(Matrix<const float> x, Matrix<float> y, Into into) const = 0;
};

namespace {

/// Float or bf16 on a CPU with panels.
class PanelLayout final : public PackedLayout {
 public:
  PanelLayout(Matrix<const float> weight, Precision precision)
      : panels_(weight, /*transposed=*/true, precision) {}

  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const override {
    panels_.multiply(x, /*a_transposed=*/false, y, into);
  }

 private:
  Panels panels_;
};

std::size_t elements(Matrix<const float> matrix) {
  return static_cast<std::size_t>(matrix.rows * matrix.columns);
}

/// A matrix from to_int8().
struct Int8Matrix {
  std::vector<int8_t> numbers;
  std::vector<float> scales;

  explicit Int8Matrix(Matrix<const float> matrix)
      : numbers(elements(matrix)), scales(static_cast<std::size_t>(matrix.rows)) {
    to_int8(matrix, numbers.data(), scales.data());
  }
};

/// Int8 on a CPU with panels.
class Int8PanelLayout final : public PackedLayout {
 public:
  explicit Int8PanelLayout(Matrix<const float> weight) : panels_(lay_out(weight)) {}

  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const override {
    panels_.multiply(x, y, into);
  }

 private:
  static Int8Panels lay_out(Matrix<const float> weight) {
    const Int8Matrix whole(weight);
    return {weight.rows, weight.columns, whole.numbers.data(), whole.scales.data()};
  }

  Int8Panels panels_;
};

/// Int8 on any CPU.
class PlainInt8Layout final : public PackedLayout {
 public:
  explicit PlainInt8Layout(Matrix<const float> weight)
      : weight_(weight), outputs_(weight.rows), inputs_(weight.columns) {}

  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const override {
    const Int8Matrix whole(x);
    std::vector<int32_t> sums(elements({y.data, y.rows, y.columns, y.stride}));
    int8_product(x.rows, outputs_, inputs_, whole.numbers.data(), weight_.numbers.data(),
                 sums.data());
    from_int8_product(sums.data(), whole.scales.data(), weight_.scales.data(), y, into);
  }

 private:
  Int8Matrix weight_;
  int64_t outputs_, inputs_;
};

std::vector<float> rows_without_gaps(Matrix<const float> matrix) {
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(matrix.rows * matrix.columns));
  for (int64_t row = 0; row < matrix.rows; ++row) {
    const float* const begin = matrix.data + row * matrix.stride;
    rows.insert(rows.end(), begin, begin + matrix.columns);
  }
  return rows;
}

/// Float for BLAS, on a CPU without panels.
class PlainLayout final : public PackedLayout {
 public:
  explicit PlainLayout(Matrix<const float> weight)
      : rows_(rows_without_gaps(weight)), outputs_(weight.rows), inputs_(weight.columns) {}

  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const override {
    product_nt(x, {rows_.data(), outputs_, inputs_, inputs_}, y, into);
  }

 private:
  std::vector<float> rows_;
  int64_t outputs_, inputs_;
};

std::unique_ptr<PackedLayout> lay_out(Matrix<const float> weight, WeightType type) {
  if (type == WeightType::int8) {
    if (has_int8_panels()) return std::make_unique<Int8PanelLayout>(weight);
    return std::make_unique<PlainInt8Layout>(weight);
  }
  const Precision precision = type == WeightType::bf16 ? Precision::bf16 : Precision::full;
  if (has_panels(precision)) return std::make_unique<PanelLayout>(weight, precision);
  return std::make_unique<PlainLayout>(weight);
}

}  // namespace

bool has_packed(WeightType type) {
  return type != WeightType::bf16 || has_panels(Precision::bf16);
}

bool rows_are_independent(WeightType type) {
  return type != WeightType::f32 || has_panels(Precision::full);  // sums of int8 are exact
}

PackedWeight::PackedWeight(Matrix<const float> weight, WeightType type)
    : outputs_(weight.rows), inputs_(weight.columns) {
  if (!has_packed(type)) throw std::logic_error("PackedWeight: this CPU lacks the type");
  layout_ = lay_out(weight, type);
}

PackedWeight::~PackedWeight() = default;
PackedWeight::PackedWeight(PackedWeight&&) noexcept = default;
PackedWeight& PackedWeight::operator=(PackedWeight&&) noexcept = default;

void PackedWeight::multiply(Matrix<const float> x, Matrix<float> y, Into into) const {
  layout_->multiply(x, y, into);
}

}  // namespace attend::kernels
