#include <cmath>

#include "kernels/attention/gradient_by_row.h"
#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"
#include "kernels/loop/loop.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = 4;  // rows per parallel task
constexpr double kSmallVariance = 1e-5;

/// One row.
template <class T>
struct NormRow {
  int64_t size = 0;
  const T* x = nullptr;
  T* y = nullptr;  // in the backward pass, its gradient
  const T* gain = nullptr;
  const T* bias = nullptr;
  T* d_x = nullptr;
  T* d_gain = nullptr;
  T* d_bias = nullptr;
};

template <class T>
struct Moments {
  T mean = 0;
  T scale = 0;  // 1 / sqrt(variance + 1e-5)
};

template <class T>
ATTEND_ALWAYS_INLINE Moments<T> moments_of(const NormRow<T>& row) {
  const T mean = sum_of<T>(
                     row.size, [&](int64_t k) __attribute__((always_inline)) { return row.x[k]; }) /
                 static_cast<T>(row.size);
  const T squares = sum_of<T>(
      row.size, [&](int64_t k) __attribute__((always_inline)) {
        return (row.x[k] - mean) * (row.x[k] - mean);
      });
  return {mean, T(1) / std::sqrt(squares / static_cast<T>(row.size) + T(kSmallVariance))};
}

template <class T>
ATTEND_ALWAYS_INLINE void normalize(const NormRow<T>& row, bool adds) {
  const Moments<T> moments = moments_of(row);
  const auto normed = [&](int64_t k) __attribute__((always_inline)) {
    return row.gain[k] * (row.x[k] - moments.mean) * moments.scale + row.bias[k];
  };
  if (adds) {
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < row.size; ++k) row.y[k] += normed(k);
  } else {
    ATTEND_INDEPENDENT
    for (int64_t k = 0; k < row.size; ++k) row.y[k] = normed(k);
  }
}

/// With n = (x - mean) scale and g = gain dy:  dx = scale (g - mean(g) - n mean(g n)).
template <class T>
ATTEND_ALWAYS_INLINE void normalize_gradient(const NormRow<T>& row, bool adds) {
  const Moments<T> moments = moments_of(row);
  const T* const d_y = row.y;
  const auto normed = [&](int64_t k) __attribute__((always_inline)) {
    return (row.x[k] - moments.mean) * moments.scale;
  };
  const T mean =
      sum_of<T>(
          row.size, [&](int64_t k)
                        __attribute__((always_inline)) { return row.gain[k] * d_y[k]; }) /
      static_cast<T>(row.size);
  const T along = sum_of<T>(
                      row.size, [&](int64_t k) __attribute__((
                                    always_inline)) { return row.gain[k] * d_y[k] * normed(k); }) /
                  static_cast<T>(row.size);
  ATTEND_INDEPENDENT
  for (int64_t k = 0; k < row.size; ++k) {
    const T n = normed(k);  // before d_x, which may share the memory of x
    row.d_gain[k] += d_y[k] * n;
    row.d_bias[k] += d_y[k];
    const T d = moments.scale * (row.gain[k] * d_y[k] - mean - n * along);
    row.d_x[k] = adds ? row.d_x[k] + d : d;
  }
}

template <class T>
class LayerNorm final : public Operation {
 public:
  LayerNorm(Series<T> x, const NormWeights<T>& weights, Series<T> y, Into into, Into of_x)
      : x_(x),
        y_(y),
        weights_(weights),
        d_gain_(weights.d_gain, x.rows(0), x.size),
        d_bias_(weights.d_bias, x.rows(0), x.size),
        into_(into),
        of_x_(of_x) {}

  void forward(int64_t step) override {
    each_row(step, [&](int64_t row) {
      Clones<normalize<T>>::call(row_at(step, row, y_.value(step)), into_ == Into::add);
    });
  }

  void backward(int64_t step) override {
    each_row(step, [&](int64_t row) {
      NormRow<T> work = row_at(step, row, y_.gradient(step));
      work.d_x = x_.gradient(step) + row * x_.size;
      work.d_gain = d_gain_.row(row);
      work.d_bias = d_bias_.row(row);
      Clones<normalize_gradient<T>>::call(work, of_x_ == Into::add);
    });
  }

  void finish() override {
    d_gain_.add_up();
    d_bias_.add_up();
  }

 private:
  template <class Work>
  void each_row(int64_t step, const Work& work) {
    parallel_ranges(x_.rows(step), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) work(row);
    });
  }

  [[nodiscard]] NormRow<T> row_at(int64_t step, int64_t row, T* y) const {
    NormRow<T> work;
    work.size = x_.size;
    work.x = x_.value(step) + row * x_.size;
    work.y = y + row * x_.size;
    work.gain = weights_.gain;
    work.bias = weights_.bias;
    return work;
  }

  Series<T> x_, y_;
  NormWeights<T> weights_;
  GradientByRow<T> d_gain_, d_bias_;
  Into into_, of_x_;
};

}  // namespace

template <class T>
std::unique_ptr<Operation> layer_norm(Series<T> x, const NormWeights<T>& weights, Series<T> y,
                                      Into into, Into of_x) {
  return std::make_unique<LayerNorm<T>>(x, weights, y, into, of_x);
}

template std::unique_ptr<Operation> layer_norm(Series<float>, const NormWeights<float>&,
                                               Series<float>, Into, Into);
template std::unique_ptr<Operation> layer_norm(Series<double>, const NormWeights<double>&,
                                               Series<double>, Into, Into);

}  // namespace attend::kernels
