#include "nn/fused/device/gemm.h"
#include "nn/fused/device/operations.h"
#include "nn/matrix_of.h"

// Products with weights. The gradient of a weight is one product over all steps.
namespace attend::nn::fused::device {
namespace {

using kernels::Into;
using kernels::Matrix;
using kernels::Series;
using torch::Tensor;

/// One step of a series, from its values or its gradients.
template <class Number, class T>
Matrix<Number> step_matrix(Number* data, const Series<T>& x, int64_t step) {
  return {data, x.rows(step), x.size, x.size};
}

/// All steps of a series that is not before().
template <class Number, class T>
Matrix<Number> all_matrix(Number* data, const Series<T>& x) {
  return {data, x.steps->total(), x.size, x.size};
}

template <class T>
class LinearOnDevice final : public kernels::Operation {
 public:
  LinearOnDevice(const Where& where, Series<T> x, const Leaf& weight, Series<T> y, Into into,
                 const Tensor& earlier_rows)
      : where_(where), x_(x), y_(y), weight_(weight), earlier_rows_(earlier_rows), into_(into) {}

  void forward(int64_t step) override {
    product_nt<T>(where_, step_matrix<const T>(x_.value(step), x_, step), weight(),
                  step_matrix(y_.value(step), y_, step), into_);
  }

  void backward(int64_t step) override {
    product_nn<T>(where_, step_matrix<const T>(y_.gradient(step), y_, step), weight(),
                  step_matrix(x_.gradient(step), x_, step), Into::add);
  }

  void finish() override {
    const Tensor x = all_values();
    product_tn<T>(where_, all_matrix<const T>(y_.gradients, y_), matrix_of<const T>(x),
                  matrix_of<T>(weight_.gradient), Into::add, where_.precision);
  }

 private:
  [[nodiscard]] Matrix<const T> weight() const { return matrix_of<const T>(weight_.values); }

  [[nodiscard]] Tensor all_values() const {
    const int64_t total = x_.steps->total();
    if (!earlier_rows_.defined()) return matrix(where_, x_.value(0), total, x_.size);
    const int64_t before = x_.rows(0);
    return matrix(where_, x_.values - before * x_.size, before + total, x_.size)
        .index_select(0, earlier_rows_);
  }

  Where where_;
  Series<T> x_, y_;
  Leaf weight_;
  Tensor earlier_rows_;
  Into into_;
};

/// Computes everything in start() and finish().
template <class T>
class ProjectionOnDevice final : public kernels::Operation {
 public:
  ProjectionOnDevice(const Where& where, const Leaf& rows, const Tensor& index, const Leaf& weight,
                     const Leaf& bias, Series<T> y)
      : where_(where), rows_(rows), weight_(weight), bias_(bias), y_(y) {
    if (index.defined()) index_ = index.clamp_min(0);  // negative: a row without a gradient
  }

  void start() override {
    if (!index_.defined()) return project(values(where_, y_));
    const Tensor distinct = torch::empty({rows_.values.size(0), y_.size}, where_.options);
    project(distinct);
    Tensor y = values(where_, y_);
    at::index_select_out(y, distinct, 0, index_);
  }

  void forward(int64_t) override {}
  void backward(int64_t) override {}

  void finish() override {
    Tensor d_y = gradients(where_, y_);
    if (index_.defined()) {
      d_y =
          torch::zeros({rows_.values.size(0), y_.size}, where_.options).index_add_(0, index_, d_y);
    }
    const auto d = matrix_of<const T>(d_y), x = matrix_of<const T>(rows_.values);
    product_nn<T>(where_, d, matrix_of<const T>(weight_.values), matrix_of<T>(rows_.gradient),
                  Into::add, where_.precision);
    product_tn<T>(where_, d, x, matrix_of<T>(weight_.gradient), Into::add, where_.precision);
    bias_.gradient.add_(d_y.sum(0));
  }

 private:
  void project(const Tensor& y) {
    y.copy_(bias_.values.expand_as(y));
    product_nt<T>(where_, matrix_of<const T>(rows_.values), matrix_of<const T>(weight_.values),
                  matrix_of<T>(y), Into::add, where_.precision);
  }

  Where where_;
  Leaf rows_, weight_, bias_;
  Series<T> y_;
  Tensor index_;
};

}  // namespace

template <class T>
OperationPointer linear(const Where& where, Series<T> x, const Leaf& weight, Series<T> y, Into into,
                        const Tensor& earlier_rows) {
  return std::make_unique<LinearOnDevice<T>>(where, x, weight, y, into, earlier_rows);
}

template <class T>
OperationPointer projection(const Where& where, const Leaf& rows, const Tensor& index,
                            const Leaf& weight, const Leaf& bias, Series<T> y) {
  return std::make_unique<ProjectionOnDevice<T>>(where, rows, index, weight, bias, y);
}

template OperationPointer linear(const Where&, Series<float>, const Leaf&, Series<float>, Into,
                                 const Tensor&);
template OperationPointer linear(const Where&, Series<double>, const Leaf&, Series<double>, Into,
                                 const Tensor&);
template OperationPointer projection(const Where&, const Leaf&, const Tensor&, const Leaf&,
                                     const Leaf&, Series<float>);
template OperationPointer projection(const Where&, const Leaf&, const Tensor&, const Leaf&,
                                     const Leaf&, Series<double>);

}  // namespace attend::nn::fused::device
