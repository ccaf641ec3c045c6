#include <algorithm>

#include "kernels/cpu/block_memory.h"
#include "kernels/cpu/clones.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/layer/rows.h"
#include "kernels/loop/loop.h"
#include "kernels/loop/loop_matrix.h"

namespace attend::kernels {
namespace {

constexpr int64_t kRowGrain = 16;      // rows per parallel task
constexpr int64_t kColumnGrain = 256;  // columns per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void add_row(T* sum, const T* x, int64_t count) {
  for (int64_t k = 0; k < count; ++k) sum[k] += x[k];
}
template <class T>
void add_to(T* sum, const T* x, int64_t count) {
  Clones<add_row<T>>::call(sum, x, count);
}

/// Sets every row to `bias`.
template <class T>
void fill_with_bias(Matrix<T> y, const T* bias) {
  parallel_ranges(y.rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      std::copy_n(bias, y.columns, y.data + row * y.stride);
  });
}

/// Sets row j of `to` [rows, y.size] to the sum of the rows i of y's gradient with index[i] = j.
/// Each thread takes a part of the columns, so the order of terms is always the same.
template <class T>
void gather_sums(Series<T> y, const int64_t* index, int64_t rows, T* to) {
  parallel_ranges(y.size, kColumnGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows; ++row)
      std::fill_n(to + row * y.size + begin, end - begin, T(0));
    for (int64_t row = 0; row < y.steps->total(); ++row) {
      if (index[row] < 0) continue;
      add_to(to + index[row] * y.size + begin, y.gradients + row * y.size + begin, end - begin);
    }
  });
}

/// Adds the sum of all rows to `sums`.
template <class T>
void add_column_sums(Matrix<const T> rows, T* sums) {
  parallel_ranges(rows.columns, kColumnGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows.rows; ++row) {
      add_to(sums + begin, rows.data + row * rows.stride + begin, end - begin);
    }
  });
}

/// projection(), computed for all steps at once in start() and finish().
template <class T>
class Projection final : public Operation {
 public:
  Projection(ProjectionInput<T> x, ProjectionWeights<T> weights, Series<T> y, Precision precision)
      : x_(x), y_(y), weights_(weights), precision_(precision) {}

  void start() override {
    if (x_.index == nullptr) return project(all_steps(y_.values, y_));
    const Numbers<T> memory = numbers<T>(x_.rows.values.rows * y_.size);
    project(distinct(memory.get()));
    gather_rows(distinct<const T>(memory.get()), x_.index, all_steps(y_.values, y_));
  }

  void forward(int64_t) override {}
  void backward(int64_t) override {}

  void finish() override {
    if (x_.index == nullptr) return add_gradients(all_steps<const T>(y_.gradients, y_));
    const Numbers<T> sums = numbers<T>(x_.rows.values.rows * y_.size);
    gather_sums(y_, x_.index, x_.rows.values.rows, sums.get());
    add_gradients(distinct<const T>(sums.get()));
  }

 private:
  /// `data`, laid out as y, as a matrix with one row for each distinct row of x.
  template <class Number>
  [[nodiscard]] Matrix<Number> distinct(Number* data) const {
    return {data, x_.rows.values.rows, y_.size, y_.size};
  }

  void project(Matrix<T> y) {
    fill_with_bias(y, weights_.bias);
    product_nt(x_.rows.values, weights_.weight.values, y, Into::add, precision_);
  }

  void add_gradients(Matrix<const T> d_y) {
    product_nn(d_y, weights_.weight.values, x_.rows.gradient, Into::add, precision_);
    product_tn(d_y, x_.rows.values, weights_.weight.gradient, Into::add, precision_);
    add_column_sums(d_y, weights_.d_bias);
  }

  ProjectionInput<T> x_;
  Series<T> y_;
  ProjectionWeights<T> weights_;
  Precision precision_;
};

}  // namespace

template <class T>
std::unique_ptr<Operation> projection(ProjectionInput<T> x, ProjectionWeights<T> weights,
                                      Series<T> y, Precision precision) {
  return std::make_unique<Projection<T>>(x, weights, y, precision);
}

template std::unique_ptr<Operation> projection(ProjectionInput<float>, ProjectionWeights<float>,
                                               Series<float>, Precision);
template std::unique_ptr<Operation> projection(ProjectionInput<double>, ProjectionWeights<double>,
                                               Series<double>, Precision);

}  // namespace attend::kernels
