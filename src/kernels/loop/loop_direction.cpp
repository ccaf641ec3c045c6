#include <algorithm>
#include <cmath>

#include "kernels/attention/gradient_by_row.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"
#include "kernels/loop/loop.h"

namespace attend::kernels {
namespace {

constexpr int64_t kRowsOfThread = 16;  // rows per parallel task
constexpr double kSmallestNorm = 1e-8;

template <class T>
class ScaledDirection final : public Operation {
 public:
  ScaledDirection(Series<T> x, const T* factor, T* d_factor, Series<T> y)
      : x_(x), y_(y), factor_(factor), d_factor_(d_factor, x.rows(0), 1) {}

  void forward(int64_t step) override {
    each_row(step, [&](int64_t row) {
      const T* const x = x_.value(step) + row * x_.size;
      T* const y = y_.value(step) + row * x_.size;
      const T scale = *factor_ / std::max(norm_of(x), T(kSmallestNorm));
      for (int64_t k = 0; k < x_.size; ++k) y[k] = scale * x[k];
    });
  }

  /// With u = x / |x|:  dx += f / |x| (dy - u (u . dy));  df += u . dy. If |x| is too small, y is
  /// linear in x: dx += f dy / 1e-8.
  void backward(int64_t step) override {
    each_row(step, [&](int64_t row) {
      const T* const x = x_.value(step) + row * x_.size;
      const T* const d_y = y_.gradient(step) + row * x_.size;
      T* const d_x = x_.gradient(step) + row * x_.size;
      const T norm = norm_of(x), divisor = std::max(norm, T(kSmallestNorm));
      const T along = dot_of(x, d_y) / divisor;  // u . dy
      *d_factor_.row(row) += along;
      const T inward = norm < T(kSmallestNorm) ? T(0) : along / divisor;
      const T scale = *factor_ / divisor;
      ATTEND_INDEPENDENT
      for (int64_t k = 0; k < x_.size; ++k) d_x[k] += scale * (d_y[k] - inward * x[k]);
    });
  }

  void finish() override { d_factor_.add_up(); }

 private:
  template <class Work>
  void each_row(int64_t step, const Work& work) {
    parallel_ranges(x_.rows(step), kRowsOfThread, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) work(row);
    });
  }

  [[nodiscard]] T dot_of(const T* a, const T* b) const { return inner_product<T>(x_.size, a, b); }
  [[nodiscard]] T norm_of(const T* x) const { return std::sqrt(dot_of(x, x)); }

  Series<T> x_, y_;
  const T* factor_;
  GradientByRow<T> d_factor_;
};

}  // namespace

template <class T>
std::unique_ptr<Operation> scaled_direction(Series<T> x, const T* factor, T* d_factor,
                                            Series<T> y) {
  return std::make_unique<ScaledDirection<T>>(x, factor, d_factor, y);
}

template std::unique_ptr<Operation> scaled_direction(Series<float>, const float*, float*,
                                                     Series<float>);
template std::unique_ptr<Operation> scaled_direction(Series<double>, const double*, double*,
                                                     Series<double>);

}  // namespace attend::kernels
