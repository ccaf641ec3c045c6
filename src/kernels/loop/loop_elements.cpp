#include "kernels/cpu/clones.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/loop/loop.h"

// Operations of a loop that change each number independently.

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = int64_t{1} << 13;  // numbers per parallel task

/// Calls change(i) for 0 <= i < count. (The local copy shows the compiler that the writes do not
/// alias the captures, so it can vectorize the loop.)
template <class Change>
void for_each_number(int64_t count, const Change& change) {
  parallel_ranges(count, kGrain, [&](int64_t begin, int64_t end) {
    const Change each = change;
    for (int64_t i = begin; i < end; ++i) each(i);
  });
}

template <class T>
ATTEND_ALWAYS_INLINE void tanh_all(T* const& x, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) x[i] = hyperbolic_tangent(x[i]);
}

template <class T>
class Tanh final : public Operation {
 public:
  explicit Tanh(Series<T> x) : x_(x) {}

  void forward(int64_t step) override {
    parallel_clones<tanh_all<T>>(x_.value(step), x_.count(step), kGrain);
  }

  void backward(int64_t step) override {
    const T* const y = x_.value(step);
    T* const d = x_.gradient(step);
    for_each_number(x_.count(step), [=](int64_t i) { d[i] *= T(1) - y[i] * y[i]; });
  }

 private:
  Series<T> x_;
};

template <class T>
ATTEND_ALWAYS_INLINE void positive_all(T* const& x, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) x[i] = x[i] > T(0) ? x[i] + T(1) : exponential(x[i]);
}

template <class T>
class Positive final : public Operation {
 public:
  explicit Positive(Series<T> x) : x_(x) {}

  void forward(int64_t step) override {
    parallel_clones<positive_all<T>>(x_.value(step), x_.count(step), kGrain);
  }

  void backward(int64_t step) override {
    const T* const y = x_.value(step);
    T* const d = x_.gradient(step);
    for_each_number(x_.count(step), [=](int64_t i) { d[i] *= y[i] > T(1) ? T(1) : y[i]; });
  }

 private:
  Series<T> x_;
};

template <class T>
class Masked final : public Operation {
 public:
  Masked(Series<T> x, const T* mask, bool by_step, Series<T> y)
      : x_(x), y_(y), mask_(mask), by_step_(by_step) {}

  void forward(int64_t step) override {
    const T* const x = x_.value(step);
    const T* const mask = mask_of(step);
    T* const y = y_.value(step);
    for_each_number(x_.count(step), [=](int64_t i) { y[i] = x[i] * mask[i]; });
  }

  void backward(int64_t step) override {
    const T* const d_y = y_.gradient(step);
    const T* const mask = mask_of(step);
    T* const d_x = x_.gradient(step);
    for_each_number(x_.count(step), [=](int64_t i) { d_x[i] += d_y[i] * mask[i]; });
  }

 private:
  [[nodiscard]] const T* mask_of(int64_t step) const {
    return by_step_ ? mask_ + x_.steps->begin(step) * x_.size : mask_;
  }

  Series<T> x_, y_;
  const T* mask_;
  bool by_step_;
};

template <class T>
class Sum final : public Operation {
 public:
  Sum(Series<T> a, Series<T> b, Series<T> y) : a_(a), b_(b), y_(y) {}

  void forward(int64_t step) override {
    const T* const a = a_.value(step);
    const T* const b = b_.value(step);
    T* const y = y_.value(step);
    for_each_number(y_.count(step), [=](int64_t i) { y[i] = a[i] + b[i]; });
  }

  void backward(int64_t step) override {
    const T* const d_y = y_.gradient(step);
    T* const d_a = a_.gradient(step);
    T* const d_b = b_.gradient(step);
    for_each_number(y_.count(step), [=](int64_t i) {
      d_a[i] += d_y[i];
      d_b[i] += d_y[i];
    });
  }

 private:
  Series<T> a_, b_, y_;
};

}  // namespace

template <class T>
std::unique_ptr<Operation> tanh_in_place(Series<T> x) {
  return std::make_unique<Tanh<T>>(x);
}

template <class T>
std::unique_ptr<Operation> positive_in_place(Series<T> x) {
  return std::make_unique<Positive<T>>(x);
}

template <class T>
std::unique_ptr<Operation> masked(Series<T> x, const T* mask, bool by_step, Series<T> y) {
  return std::make_unique<Masked<T>>(x, mask, by_step, y);
}

template <class T>
std::unique_ptr<Operation> sum(Series<T> a, Series<T> b, Series<T> y) {
  return std::make_unique<Sum<T>>(a, b, y);
}

template std::unique_ptr<Operation> tanh_in_place(Series<float>);
template std::unique_ptr<Operation> tanh_in_place(Series<double>);
template std::unique_ptr<Operation> positive_in_place(Series<float>);
template std::unique_ptr<Operation> positive_in_place(Series<double>);
template std::unique_ptr<Operation> masked(Series<float>, const float*, bool, Series<float>);
template std::unique_ptr<Operation> masked(Series<double>, const double*, bool, Series<double>);
template std::unique_ptr<Operation> sum(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> sum(Series<double>, Series<double>, Series<double>);

}  // namespace attend::kernels
