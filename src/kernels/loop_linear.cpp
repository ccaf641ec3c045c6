#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "kernels/loop.h"
#include "kernels/parallel.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 16;  // rows a thread takes at a time

/// One step of a series as a matrix.
template <class T>
Matrix<T> matrix(T* data, const auto& series, int64_t step) {
  return {data, series.rows(step), series.size, series.size};
}

/// All steps of a series as one matrix.
template <class T>
Matrix<T> all_steps(T* data, const auto& series) {
  return {data, series.steps->total(), series.size, series.size};
}

/// Whether the steps of a series lie in memory one after the other. (The rows that a step leaves
/// out are gaps in what was one step earlier.)
template <class T>
bool is_dense(const Series<T>& x) {
  return !x.earlier || x.steps->are_equal();
}

/// The values of all steps of a series as one matrix: a copy where it is not dense.
template <class T>
class AllValues {
 public:
  explicit AllValues(const Series<T>& x) : x_(x) {
    if (is_dense(x)) return;
    copy_ =
        std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(x.steps->total() * x.size));
    parallel_ranges(x.steps->count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t step = begin; step < end; ++step) {
        std::copy_n(x.value(step), x.count(step), copy_.get() + x.steps->begin(step) * x.size);
      }
    });
  }

  [[nodiscard]] Matrix<const T> matrix() const {
    return all_steps<const T>(copy_ != nullptr ? copy_.get() : x_.value(0), x_);
  }

 private:
  Series<T> x_;
  std::unique_ptr<T[]> copy_;
};

/// Every row of every step becomes `bias`.
template <class T>
void fill_with_bias(Series<T> y, const T* bias) {
  parallel_ranges(y.steps->total(), kGrain, [&](int64_t begin, int64_t end) {
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
  Linear(Series<T> x, Weight<T> weight, Series<T> y, Into into, Precision precision)
      : x_(x), y_(y), weight_(weight), into_(into), precision_(precision) {}

  void start() override { forward_.emplace(weight_.values, /*transposed=*/true, precision_); }

  void forward(int64_t step) override {
    forward_->multiply(matrix<const T>(x_.value(step), x_, step), matrix(y_.value(step), y_, step),
                       into_);
  }

  void backward(int64_t step) override {
    if (!backward_) backward_.emplace(weight_.values, /*transposed=*/false, precision_);
    backward_->multiply(matrix<const T>(y_.gradient(step), y_, step),
                        matrix(x_.gradient(step), x_, step), Into::add);
  }

  void finish() override {
    backward_.reset();
    const AllValues<T> x(x_);
    product_tn(all_steps<const T>(y_.gradients, y_), x.matrix(), weight_.gradient, Into::add,
               precision_);
  }

 private:
  Series<T> x_, y_;
  Weight<T> weight_;
  Into into_;
  Precision precision_;
  std::optional<Operand<T>> forward_, backward_;
};

/// Nothing is left to do at a single step.
template <class T>
class Projection final : public Operation {
 public:
  Projection(Series<T> x, Weight<T> weight, const T* bias, T* d_bias, Series<T> y,
             Precision precision)
      : x_(x), y_(y), weight_(weight), bias_(bias), d_bias_(d_bias), precision_(precision) {}

  void start() override {
    fill_with_bias(y_, bias_);
    product_nt(all_steps<const T>(x_.values, x_), weight_.values, all_steps(y_.values, y_),
               Into::add, precision_);
  }

  void forward(int64_t) override {}
  void backward(int64_t) override {}

  void finish() override {
    const Matrix<const T> d_y = all_steps<const T>(y_.gradients, y_);
    product_nn(d_y, weight_.values, all_steps(x_.gradients, x_), Into::add, precision_);
    product_tn(d_y, all_steps<const T>(x_.values, x_), weight_.gradient, Into::add, precision_);
    add_column_sums(d_y, d_bias_);
  }

 private:
  Series<T> x_, y_;
  Weight<T> weight_;
  const T* bias_;
  T* d_bias_;
  Precision precision_;
};

/// The same by a packed weight, forward only.
class PackedLinear final : public Operation {
 public:
  PackedLinear(Series<float> x, const PackedWeight& weight, Series<float> y, Into into)
      : x_(x), y_(y), weight_(weight), into_(into) {}

  void forward(int64_t step) override {
    weight_.multiply(matrix<const float>(x_.value(step), x_, step),
                     matrix(y_.value(step), y_, step), into_);
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

template <class T>
std::unique_ptr<Operation> linear(Series<T> x, Weight<T> weight, Series<T> y, Into into,
                                  Precision precision) {
  return std::make_unique<Linear<T>>(x, weight, y, into, precision);
}

template <class T>
std::unique_ptr<Operation> projection(Series<T> x, Weight<T> weight, const T* bias, T* d_bias,
                                      Series<T> y, Precision precision) {
  return std::make_unique<Projection<T>>(x, weight, bias, d_bias, y, precision);
}

template std::unique_ptr<Operation> linear(Series<float>, Weight<float>, Series<float>, Into,
                                           Precision);
template std::unique_ptr<Operation> linear(Series<double>, Weight<double>, Series<double>, Into,
                                           Precision);
template std::unique_ptr<Operation> projection(Series<float>, Weight<float>, const float*, float*,
                                               Series<float>, Precision);
template std::unique_ptr<Operation> projection(Series<double>, Weight<double>, const double*,
                                               double*, Series<double>, Precision);

}  // namespace attend::kernels
