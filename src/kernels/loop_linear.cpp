#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "kernels/bf16.h"
#include "kernels/loop.h"
#include "kernels/parallel.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 16;  // rows a thread takes at a time

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

/// Every row of every step becomes `bias`.
template <class T>
void fill_with_bias(Series<T> y, const T* bias) {
  parallel_ranges(y.steps * y.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) std::copy_n(bias, y.size, y.values + row * y.size);
  });
}

/// sums += the sum of all rows, of which each thread adds a part of the columns.
template <class T>
void add_column_sums(Matrix<const T> rows, T* sums) {
  constexpr int64_t kColumns = 256;
  parallel_ranges(rows.columns, kColumns, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows.rows; ++row) {
      const T* const from = rows.data + row * rows.stride;
      for (int64_t k = begin; k < end; ++k) sums[k] += from[k];
    }
  });
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

using Bf16Numbers = std::unique_ptr<Bf16[]>;

Bf16Numbers make_bf16(int64_t count) {
  return std::make_unique_for_overwrite<Bf16[]>(static_cast<std::size_t>(count));
}

Bf16Numbers rounded(const float* numbers, int64_t count) {
  Bf16Numbers result = make_bf16(count);
  to_bf16(numbers, result.get(), count);
  return result;
}

int64_t count_of(const Series<float>& series) {
  return series.steps * series.rows * series.size;
}

/// The same in bf16, with dy rounded once.
class Bf16Linear final : public Operation {
 public:
  Bf16Linear(Series<float> x, Weight<float> weight, Series<float> y, const LinearMode& mode)
      : x_(x), y_(y), weight_(weight), mode_(mode) {}

  void start() override {
    rounded_x_ = make_bf16(x_.rows * x_.size);
    forward_.emplace(Bf16Product::Sizes{x_.rows, y_.size, x_.size, false, true}, y_.size,
                     mode_.into);
  }

  void forward(int64_t step) override {
    to_bf16(x_.value(step), rounded_x_.get(), x_.rows * x_.size);
    (*forward_)(rounded_x_.get(), weight_.rounded, y_.value(step));
  }

  void backward(int64_t step) override {
    if (!backward_) {
      backward_.emplace(Bf16Product::Sizes{x_.rows, x_.size, y_.size, false, false}, x_.size,
                        Into::add);
    }
    const int64_t count = y_.rows * y_.size;
    Bf16* const d_y = y_.rounded + step * count;
    if (mode_.rounds) to_bf16(y_.gradient(step), d_y, count);
    (*backward_)(d_y, weight_.rounded, x_.gradient(step));
  }

  void finish() override {
    const Bf16Numbers x = rounded(x_.values, count_of(x_));
    Bf16Product product({y_.size, x_.size, x_.steps * x_.rows, true, false},
                        weight_.gradient.stride, Into::add);
    product(y_.rounded, x.get(), weight_.gradient.data);
  }

 private:
  Series<float> x_, y_;
  Weight<float> weight_;
  LinearMode mode_;
  Bf16Numbers rounded_x_;  // of a step
  std::optional<Bf16Product> forward_, backward_;
};

/// What both projections read and write. Nothing is left to do at a single step.
template <class T>
class AllSteps : public Operation {
 public:
  AllSteps(Series<T> x, Weight<T> weight, const T* bias, T* d_bias, Series<T> y)
      : x_(x), y_(y), weight_(weight), bias_(bias), d_bias_(d_bias) {}

  void forward(int64_t) final {}
  void backward(int64_t) final {}

 protected:
  [[nodiscard]] Matrix<const T> d_y() const { return all_steps<const T>(y_.gradients, y_); }

  Series<T> x_, y_;
  Weight<T> weight_;
  const T* bias_;
  T* d_bias_;
};

template <class T>
class Projection final : public AllSteps<T> {
 public:
  using AllSteps<T>::AllSteps;

  void start() override {
    fill_with_bias(y_, bias_);
    product_nt(all_steps<const T>(x_.values, x_), weight_.values, all_steps(y_.values, y_),
               Into::add);
  }

  void finish() override {
    product_nn(this->d_y(), weight_.values, all_steps(x_.gradients, x_), Into::add);
    product_tn(this->d_y(), all_steps<const T>(x_.values, x_), weight_.gradient, Into::add);
    add_column_sums(this->d_y(), d_bias_);
  }

 private:
  using AllSteps<T>::x_, AllSteps<T>::y_, AllSteps<T>::weight_, AllSteps<T>::bias_,
      AllSteps<T>::d_bias_;
};

class Bf16Projection final : public AllSteps<float> {
 public:
  using AllSteps::AllSteps;

  void start() override {
    fill_with_bias(y_, bias_);
    const Bf16Numbers x = rounded(x_.values, count_of(x_));
    Bf16Product product({x_.steps * x_.rows, y_.size, x_.size, false, true}, y_.size, Into::add);
    product(x.get(), weight_.rounded, y_.values);
  }

  void finish() override {
    const int64_t count = x_.steps * x_.rows;
    const Bf16Numbers own = y_.rounded == nullptr ? rounded(y_.gradients, count_of(y_)) : nullptr;
    const Bf16* const rounded_d_y = own != nullptr ? own.get() : y_.rounded;
    Bf16Product to_x({count, x_.size, y_.size, false, false}, x_.size, Into::add);
    to_x(rounded_d_y, weight_.rounded, x_.gradients);
    const Bf16Numbers x = rounded(x_.values, count_of(x_));
    Bf16Product to_weight({y_.size, x_.size, count, true, false}, weight_.gradient.stride,
                          Into::add);
    to_weight(rounded_d_y, x.get(), weight_.gradient.data);
    add_column_sums(d_y(), d_bias_);
  }
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
std::unique_ptr<Operation> linear(Series<float> x, Weight<float> weight, Series<float> y,
                                  const LinearMode& mode) {
  if (mode.precision == Precision::bf16) return std::make_unique<Bf16Linear>(x, weight, y, mode);
  return std::make_unique<Linear<float>>(x, weight, y, mode.into);
}

template <>
std::unique_ptr<Operation> linear(Series<double> x, Weight<double> weight, Series<double> y,
                                  const LinearMode& mode) {
  if (mode.precision == Precision::bf16) throw std::logic_error("linear: bf16 is for float only");
  return std::make_unique<Linear<double>>(x, weight, y, mode.into);
}

template <>
std::unique_ptr<Operation> projection(Series<float> x, Weight<float> weight, const float* bias,
                                      float* d_bias, Series<float> y, Precision precision) {
  if (precision == Precision::bf16) {
    return std::make_unique<Bf16Projection>(x, weight, bias, d_bias, y);
  }
  return std::make_unique<Projection<float>>(x, weight, bias, d_bias, y);
}

template <>
std::unique_ptr<Operation> projection(Series<double> x, Weight<double> weight, const double* bias,
                                      double* d_bias, Series<double> y, Precision precision) {
  if (precision == Precision::bf16) throw std::logic_error("projection: bf16 is for float only");
  return std::make_unique<Projection<double>>(x, weight, bias, d_bias, y);
}

}  // namespace attend::kernels
