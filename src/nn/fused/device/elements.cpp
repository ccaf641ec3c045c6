#include "kernels/device/elements.h"

#include "nn/fused/device/operations.h"

namespace attend::nn::fused::device {
namespace {

using kernels::Series;
namespace bodies = kernels::device;

/// An in-place operation on x, computed by the bodies Forward{x} and Backward{y, d}.
template <class T, class Forward, class Backward>
class InPlaceOnDevice final : public kernels::Operation {
 public:
  InPlaceOnDevice(const char* name, const Where& where, Series<T> x)
      : name_(name), where_(where), x_(x) {}

  void forward(int64_t step) override {
    run_numbers(name_, where_, Forward{x_.value(step)}, x_.count(step));
  }
  void backward(int64_t step) override {
    run_numbers(name_, where_, Backward{x_.value(step), x_.gradient(step)}, x_.count(step));
  }

 private:
  const char* name_;
  Where where_;
  Series<T> x_;
};

template <class T>
class MaskedOnDevice final : public kernels::Operation {
 public:
  MaskedOnDevice(const Where& where, Series<T> x, const T* mask, bool by_step, Series<T> y)
      : where_(where), x_(x), y_(y), mask_(mask), by_step_(by_step) {}

  void forward(int64_t step) override {
    run_numbers("attend::masked", where_,
                bodies::MaskedNumber<T>{x_.value(step), mask_of(step), y_.value(step), false},
                x_.count(step));
  }
  void backward(int64_t step) override {
    run_numbers("attend::masked", where_,
                bodies::MaskedNumber<T>{y_.gradient(step), mask_of(step), x_.gradient(step), true},
                x_.count(step));
  }

 private:
  [[nodiscard]] const T* mask_of(int64_t step) const {
    return by_step_ ? mask_ + x_.steps->begin(step) * x_.size : mask_;
  }

  Where where_;
  Series<T> x_, y_;
  const T* mask_;
  bool by_step_;
};

template <class T>
class SumOnDevice final : public kernels::Operation {
 public:
  SumOnDevice(const Where& where, Series<T> a, Series<T> b, Series<T> y)
      : where_(where), a_(a), b_(b), y_(y) {}

  void forward(int64_t step) override {
    run_numbers("attend::sum", where_,
                bodies::SumOfNumbers<T>{a_.value(step), b_.value(step), y_.value(step)},
                y_.count(step));
  }
  void backward(int64_t step) override {
    run_numbers(
        "attend::sum", where_,
        bodies::SumOfNumbersGradient<T>{y_.gradient(step), a_.gradient(step), b_.gradient(step)},
        y_.count(step));
  }

 private:
  Where where_;
  Series<T> a_, b_, y_;
};

}  // namespace

template <class T>
OperationPointer tanh_in_place(const Where& where, Series<T> x) {
  using Operation = InPlaceOnDevice<T, bodies::TanhNumber<T>, bodies::TanhNumberGradient<T>>;
  return std::make_unique<Operation>("attend::tanh", where, x);
}

template <class T>
OperationPointer positive_in_place(const Where& where, Series<T> x) {
  using Operation =
      InPlaceOnDevice<T, bodies::PositiveNumber<T>, bodies::PositiveNumberGradient<T>>;
  return std::make_unique<Operation>("attend::positive", where, x);
}

template <class T>
OperationPointer masked(const Where& where, Series<T> x, const T* mask, bool by_step, Series<T> y) {
  return std::make_unique<MaskedOnDevice<T>>(where, x, mask, by_step, y);
}

template <class T>
OperationPointer sum(const Where& where, Series<T> a, Series<T> b, Series<T> y) {
  return std::make_unique<SumOnDevice<T>>(where, a, b, y);
}

#define ATTEND_ELEMENTS(T)                                                              \
  template OperationPointer tanh_in_place(const Where&, Series<T>);                     \
  template OperationPointer positive_in_place(const Where&, Series<T>);                 \
  template OperationPointer masked(const Where&, Series<T>, const T*, bool, Series<T>); \
  template OperationPointer sum(const Where&, Series<T>, Series<T>, Series<T>);

ATTEND_ELEMENTS(float)
ATTEND_ELEMENTS(double)

#undef ATTEND_ELEMENTS

}  // namespace attend::nn::fused::device
