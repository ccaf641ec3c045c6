#include "kernels/packed_weight.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/instructions.h"
#include "kernels/int8.h"
#include "kernels/onednn.h"
#include "kernels/panels.h"

namespace attend::kernels {

/// A weight in one of the types.
class PackedLayout {
 public:
  virtual ~PackedLayout() = default;
  virtual void multiply(Matrix<const float> x, Matrix<float> y, Into into) const = 0;
};

namespace {

/// Float or bf16, where the CPU has panels for it.
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

/// A matrix as to_int8() gives it.
struct Int8Matrix {
  std::vector<int8_t> numbers;
  std::vector<float> scales;

  explicit Int8Matrix(Matrix<const float> matrix)
      : numbers(elements(matrix)), scales(static_cast<std::size_t>(matrix.rows)) {
    to_int8(matrix, numbers.data(), scales.data());
  }
};

/// A weight in int8 and a scale for each output. Sums are formed by a `Weight`, made of outputs,
/// inputs and the numbers, which has multiply(rows, x, sums).
template <class Weight>
class Int8Layout final : public PackedLayout {
 public:
  explicit Int8Layout(Matrix<const float> weight)
      : Int8Layout(weight.rows, weight.columns, Int8Matrix(weight)) {}

  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const override {
    const Int8Matrix whole(x);
    std::vector<int32_t> sums(elements({y.data, y.rows, y.columns, y.stride}));
    weight_.multiply(x.rows, whole.numbers.data(), sums.data());
    from_int8_product(sums.data(), whole.scales.data(), scales_.data(), y, into);
  }

 private:
  Int8Layout(int64_t outputs, int64_t inputs, Int8Matrix whole)
      : weight_(outputs, inputs, std::move(whole.numbers)), scales_(std::move(whole.scales)) {}

  Weight weight_;
  std::vector<float> scales_;  // of the outputs
};

/// For every CPU.
class PlainInt8 {
 public:
  PlainInt8(int64_t outputs, int64_t inputs, std::vector<int8_t> weight)
      : outputs_(outputs), inputs_(inputs), weight_(std::move(weight)) {}

  void multiply(int64_t rows, const int8_t* x, int32_t* sums) const {
    int8_product(rows, outputs_, inputs_, x, weight_.data(), sums);
  }

 private:
  int64_t outputs_, inputs_;
  std::vector<int8_t> weight_;
};

}  // namespace

#ifdef ATTEND_ONEDNN

namespace {

using dnnl::memory;
using DataType = memory::data_type;

/// oneDNN picks the layout of a weight for the number of rows that it is told; this one is as good
/// for one row as for hundreds.
constexpr int64_t kTypicalRows = 64;

memory::desc row_major(int64_t rows, int64_t columns, int64_t stride, DataType type) {
  return {{rows, columns}, type, memory::dims{stride, 1}};
}

dnnl::matmul::primitive_desc describe(const memory::desc& x, const memory::desc& weight,
                                      const memory::desc& y, Into into) {
  return {dnnl::matmul::desc(x, weight, y), onednn::attributes(into), onednn::engine()};
}

/// A weight whose operands and sums have the given types, which oneDNN lays out as it likes.
class OneDnnWeight {
 public:
  /// `weight` [out, in], of type `operand`, with rows `stride` elements apart.
  OneDnnWeight(int64_t outputs, int64_t inputs, const void* weight, int64_t stride,
               DataType operand, DataType sums)
      : outputs_(outputs), inputs_(inputs), operand_(operand), sums_(sums) {
    const memory::desc any({inputs_, outputs_}, operand, memory::format_tag::any);
    const auto typical =
        describe(row_major(kTypicalRows, inputs_, inputs_, operand), any,
                 row_major(kTypicalRows, outputs_, outputs_, sums), Into::overwrite);
    packed_ = memory(typical.weights_desc(), onednn::engine());
    // To oneDNN a weight is [in, out].
    memory plain = onednn::wrap({{inputs_, outputs_}, operand, memory::dims{1, stride}}, weight);
    dnnl::stream stream(onednn::engine());
    dnnl::reorder(plain, packed_).execute(stream, plain, packed_);
    stream.wait();
  }

  /// y (+)= x W^T, with rows `stride_x` and `stride_y` elements apart.
  void multiply(int64_t rows, const void* x, int64_t stride_x, void* y, int64_t stride_y,
                Into into) const {
    if (rows == 0) return;
    const onednn::Product product(describe(row_major(rows, inputs_, stride_x, operand_),
                                           packed_.get_desc(),
                                           row_major(rows, outputs_, stride_y, sums_), into));
    product(x, packed_.get_data_handle(), y);
  }

 private:
  int64_t outputs_, inputs_;
  DataType operand_, sums_;
  memory packed_;
};

class FloatLayout final : public PackedLayout {
 public:
  explicit FloatLayout(Matrix<const float> weight)
      : weight_(weight.rows, weight.columns, weight.data, weight.stride, DataType::f32,
                DataType::f32) {}

  void multiply(Matrix<const float> x, Matrix<float> y, Into into) const override {
    weight_.multiply(x.rows, x.data, x.stride, y.data, y.stride, into);
  }

 private:
  OneDnnWeight weight_;
};

class OneDnnInt8 {
 public:
  OneDnnInt8(int64_t outputs, int64_t inputs, const std::vector<int8_t>& weight)
      : inputs_(inputs),
        outputs_(outputs),
        weight_(outputs, inputs, weight.data(), inputs, DataType::s8, DataType::s32) {}

  void multiply(int64_t rows, const int8_t* x, int32_t* sums) const {
    weight_.multiply(rows, x, inputs_, sums, outputs_, Into::overwrite);
  }

 private:
  int64_t inputs_, outputs_;
  OneDnnWeight weight_;
};

std::unique_ptr<PackedLayout> make_int8(Matrix<const float> weight) {
  const bool is_exact =
      instructions_in_use() >= Instructions::avx512_vnni && onednn::may_use_vnni();
  if (is_exact) return std::make_unique<Int8Layout<OneDnnInt8>>(weight);
  return std::make_unique<Int8Layout<PlainInt8>>(weight);
}

std::unique_ptr<PackedLayout> make_float(Matrix<const float> weight) {
  return std::make_unique<FloatLayout>(weight);
}

}  // namespace

#else

namespace {

std::vector<float> rows_without_gaps(Matrix<const float> matrix) {
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(matrix.rows * matrix.columns));
  for (int64_t row = 0; row < matrix.rows; ++row) {
    const float* const begin = matrix.data + row * matrix.stride;
    rows.insert(rows.end(), begin, begin + matrix.columns);
  }
  return rows;
}

/// As it was, for BLAS.
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

std::unique_ptr<PackedLayout> make_int8(Matrix<const float> weight) {
  return std::make_unique<Int8Layout<PlainInt8>>(weight);
}

std::unique_ptr<PackedLayout> make_float(Matrix<const float> weight) {
  return std::make_unique<PlainLayout>(weight);
}

}  // namespace

#endif

bool has_packed(WeightType type) {
  return type != WeightType::bf16 || has_panels(Precision::bf16);
}

bool rows_are_independent(WeightType type) {
  return type != WeightType::f32 || has_panels(Precision::full);  // sums of int8 are exact
}

PackedWeight::PackedWeight(Matrix<const float> weight, WeightType type)
    : outputs_(weight.rows), inputs_(weight.columns) {
  if (!has_packed(type)) throw std::logic_error("PackedWeight: not a type for this CPU");
  const Precision precision = type == WeightType::bf16 ? Precision::bf16 : Precision::full;
  if (type == WeightType::int8) {
    layout_ = make_int8(weight);
  } else if (has_panels(precision)) {
    layout_ = std::make_unique<PanelLayout>(weight, precision);
  } else {
    layout_ = make_float(weight);
  }
}

PackedWeight::~PackedWeight() = default;
PackedWeight::PackedWeight(PackedWeight&&) noexcept = default;
PackedWeight& PackedWeight::operator=(PackedWeight&&) noexcept = default;

void PackedWeight::multiply(Matrix<const float> x, Matrix<float> y, Into into) const {
  layout_->multiply(x, y, into);
}

}  // namespace attend::kernels
