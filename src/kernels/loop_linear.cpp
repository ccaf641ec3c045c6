#include <stdexcept>

#include "kernels/bf16.h"
#include "kernels/loop.h"

namespace attend::kernels {
namespace {

/// One step of a series as a matrix.
template <class T>
Matrix<T> matrix(T* data, const auto& series) {
  return {data, series.rows, series.size, series.size};
}

/// All steps of a series as one matrix.
template <class T>
Matrix<T> all_steps(T* data, const auto& series) {
  return {data, series.steps * series.rows, series.size, series.size};
}

template <class T>
class Linear final : public Operation {
 public:
  Linear(Series<T> x, Weight<T> weight, Series<T> y, Into into)
      : x_(x), y_(y), weight_(weight), into_(into) {}

  void forward(int64_t step) override {
    product_nt(matrix<const T>(x_.value(step), x_), weight_.values, matrix(y_.value(step), y_),
               into_);
  }

  void backward(int64_t step) override {
    product_nn(matrix<const T>(y_.gradient(step), y_), weight_.values,
               matrix(x_.gradient(step), x_), Into::add);
  }

  void finish() override {
    product_tn(all_steps<const T>(y_.gradients, y_), all_steps<const T>(x_.values, x_),
               weight_.gradient, Into::add);
  }

 private:
  Series<T> x_, y_;
  Weight<T> weight_;
  Into into_;
};

/// The same in bf16. Operands are rounded once and kept, for the product of all steps at the end.
class Bf16Linear final : public Operation {
 public:
  Bf16Linear(Series<float> x, Weight<float> weight, Series<float> y, Into into)
      : x_(x),
        y_(y),
        weight_(weight),
        rounded_x_(size_of(x)),
        rounded_weight_(static_cast<std::size_t>(y.size * x.size)),
        forward_({x.rows, y.size, x.size, false, true}, y.size, into) {
    to_bf16(weight.values, rounded_weight_.data());
  }

  void forward(int64_t step) override {
    Bf16* const x = rounded_x_.data() + step * x_.rows * x_.size;
    to_bf16(x_.value(step), x, x_.rows * x_.size);
    forward_(x, rounded_weight_.data(), y_.value(step));
  }

  void backward(int64_t step) override {
    if (!backward_) start_backward();
    Bf16* const d_y = rounded_d_y_.data() + step * y_.rows * y_.size;
    to_bf16(y_.gradient(step), d_y, y_.rows * y_.size);
    (*backward_)(d_y, rounded_weight_.data(), x_.gradient(step));
  }

  void finish() override {
    Bf16Product product({y_.size, x_.size, x_.steps * x_.rows, true, false},
                        weight_.gradient.stride, Into::add);
    product(rounded_d_y_.data(), rounded_x_.data(), weight_.gradient.data);
  }

 private:
  static std::size_t size_of(const Series<float>& series) {
    return static_cast<std::size_t>(series.steps * series.rows * series.size);
  }

  void start_backward() {
    rounded_d_y_.resize(size_of(y_));
    backward_ = std::make_unique<Bf16Product>(
        Bf16Product::Sizes{x_.rows, x_.size, y_.size, false, false}, x_.size, Into::add);
  }

  Series<float> x_, y_;
  Weight<float> weight_;
  std::vector<Bf16> rounded_x_, rounded_d_y_, rounded_weight_;
  Bf16Product forward_;
  std::unique_ptr<Bf16Product> backward_;
};

/// The same by a packed weight, forward only.
class PackedLinear final : public Operation {
 public:
  PackedLinear(Series<float> x, const PackedWeight& weight, Series<float> y, Into into)
      : x_(x), y_(y), weight_(weight), into_(into) {}

  void forward(int64_t step) override {
    weight_.multiply(matrix<const float>(x_.value(step), x_), matrix(y_.value(step), y_), into_);
  }

  void backward(int64_t) override { throw std::logic_error("a packed weight cannot be trained"); }

 private:
  Series<float> x_, y_;
  const PackedWeight& weight_;
  Into into_;
};

}  // namespace

std::unique_ptr<Operation> linear(Series<float> x, const PackedWeight& weight, Series<float> y,
                                  Into into) {
  return std::make_unique<PackedLinear>(x, weight, y, into);
}

template <>
std::unique_ptr<Operation> linear(Series<float> x, Weight<float> weight, Series<float> y, Into into,
                                  Precision precision) {
  if (precision == Precision::bf16) return std::make_unique<Bf16Linear>(x, weight, y, into);
  return std::make_unique<Linear<float>>(x, weight, y, into);
}

template <>
std::unique_ptr<Operation> linear(Series<double> x, Weight<double> weight, Series<double> y,
                                  Into into, Precision precision) {
  if (precision == Precision::bf16) throw std::logic_error("linear: bf16 is for float only");
  return std::make_unique<Linear<double>>(x, weight, y, into);
}

}  // namespace attend::kernels
