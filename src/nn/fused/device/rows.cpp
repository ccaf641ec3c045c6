#include "kernels/device/rows.h"

#include "nn/fused/device/operations.h"

namespace attend::nn::fused::device {
namespace {

using kernels::Into;
using kernels::Series;
namespace bodies = kernels::device;

template <class T>
class NormOnDevice final : public kernels::Operation {
 public:
  NormOnDevice(const Where& where, Series<T> x, const Leaf& gain, const Leaf& bias, Series<T> y,
               Into into, Into of_x)
      : where_(where),
        x_(x),
        y_(y),
        gain_(gain),
        bias_(bias),
        d_gain_(gain.gradient, x.rows(0)),
        d_bias_(bias.gradient, x.rows(0)),
        into_(into),
        of_x_(of_x) {}

  void forward(int64_t step) override {
    const bodies::NormRow<T> body{x_.size,         x_.value(step),  y_.value(step),
                                  gain_.data<T>(), bias_.data<T>(), into_ == Into::add};
    run_blocks("attend::layer_norm", where_, body, x_.rows(step));
  }

  void backward(int64_t step) override {
    const bodies::NormRowGradient<T> body{x_.size,           x_.value(step),    y_.gradient(step),
                                          gain_.data<T>(),   x_.gradient(step), d_gain_.data<T>(),
                                          d_bias_.data<T>(), of_x_ == Into::add};
    run_blocks("attend::layer_norm_gradient", where_, body, x_.rows(step));
  }

  void finish() override {
    d_gain_.add_up();
    d_bias_.add_up();
  }

 private:
  Where where_;
  Series<T> x_, y_;
  Leaf gain_, bias_;
  SumsByRow d_gain_, d_bias_;
  Into into_, of_x_;
};

template <class T>
class DirectionOnDevice final : public kernels::Operation {
 public:
  DirectionOnDevice(const Where& where, Series<T> x, const Leaf& factor, Series<T> y)
      : where_(where), x_(x), y_(y), factor_(factor), d_factor_(factor.gradient, x.rows(0)) {}

  void forward(int64_t step) override {
    const bodies::DirectionRow<T> body{x_.size, x_.value(step), y_.value(step), factor_.data<T>()};
    run_blocks("attend::direction", where_, body, x_.rows(step));
  }

  void backward(int64_t step) override {
    const bodies::DirectionRowGradient<T> body{x_.size,           x_.value(step),
                                               y_.gradient(step), x_.gradient(step),
                                               factor_.data<T>(), d_factor_.data<T>()};
    run_blocks("attend::direction_gradient", where_, body, x_.rows(step));
  }

  void finish() override { d_factor_.add_up(); }

 private:
  Where where_;
  Series<T> x_, y_;
  Leaf factor_;
  SumsByRow d_factor_;
};

}  // namespace

template <class T>
OperationPointer layer_norm(const Where& where, Series<T> x, const Leaf& gain, const Leaf& bias,
                            Series<T> y, Into into, Into of_x) {
  return std::make_unique<NormOnDevice<T>>(where, x, gain, bias, y, into, of_x);
}

template <class T>
OperationPointer scaled_direction(const Where& where, Series<T> x, const Leaf& factor,
                                  Series<T> y) {
  return std::make_unique<DirectionOnDevice<T>>(where, x, factor, y);
}

#define ATTEND_ROWS(T)                                                                    \
  template OperationPointer layer_norm(const Where&, Series<T>, const Leaf&, const Leaf&, \
                                       Series<T>, Into, Into);                            \
  template OperationPointer scaled_direction(const Where&, Series<T>, const Leaf&, Series<T>);

ATTEND_ROWS(float)
ATTEND_ROWS(double)

#undef ATTEND_ROWS

}  // namespace attend::nn::fused::device
