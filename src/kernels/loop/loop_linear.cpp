#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "kernels/cpu/block_memory.h"
#include "kernels/cpu/parallel.h"
#include "kernels/loop/loop.h"
#include "kernels/loop/loop_matrix.h"

namespace attend::kernels {
namespace {

/// One step of a series as a matrix.
template <class T>
Matrix<T> matrix(T* data, const auto& series, int64_t step) {
  return {data, series.rows(step), series.size, series.size};
}

/// Returns true if the steps of a series are contiguous. (In a before() series, rows that ended
/// leave gaps.)
template <class T>
bool is_dense(const Series<T>& x) {
  return !x.earlier || x.steps->are_equal();
}

/// The values of all steps of a series as one matrix, copied if the series is not dense.
template <class T>
class AllValues {
 public:
  explicit AllValues(const Series<T>& x) : x_(x) {
    if (is_dense(x)) return;
    copy_ = numbers<T>(x.steps->total() * x.size);
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
  Numbers<T> copy_;
};

template <class T>
class Linear final : public Operation {
 public:
  Linear(Series<T> x, Leaf<T> weight, Series<T> y, Into into, Precision precision)
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
  Leaf<T> weight_;
  Into into_;
  Precision precision_;
  std::optional<Operand<T>> forward_, backward_;
};

/// linear() with a packed weight, forward only.
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
std::unique_ptr<Operation> linear(Series<T> x, Leaf<T> weight, Series<T> y, Into into,
                                  Precision precision) {
  return std::make_unique<Linear<T>>(x, weight, y, into, precision);
}

template std::unique_ptr<Operation> linear(Series<float>, Leaf<float>, Series<float>, Into,
                                           Precision);
template std::unique_ptr<Operation> linear(Series<double>, Leaf<double>, Series<double>, Into,
                                           Precision);

}  // namespace attend::kernels
