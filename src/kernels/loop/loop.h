#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/layer/series.h"
#include "kernels/product/gemm.h"
#include "kernels/product/packed_weight.h"

namespace attend::kernels {

/// One operation in the body of a loop over the steps of a sequence. A loop runs forward by start()
/// of all its operations and then forward() of all for step 0, 1, ...; and backward by backward()
/// in the reverse order of both, and then finish(). The two passes may be those of two objects,
/// made for the same series: the first then needs no gradients. An operation adds to the gradients
/// of what it read; by the time its backward() runs, the gradients of what it wrote are complete.
/// What it uses up (gates, the inputs of a GRU, x of tanh_in_place) holds something else
/// afterwards, and its gradient is overwritten: no other operation may read it. The gradients of
/// gates and of a GRU's inputs may lie where the values do.
class Operation {
 public:
  virtual ~Operation() = default;
  /// What is done once for all steps, before the first.
  virtual void start() {}
  virtual void forward(int64_t step) = 0;
  virtual void backward(int64_t step) = 0;
  /// What is left to do once for all steps: the gradients of weights.
  virtual void finish() {}
};

/// A matrix that no operation computes, with its gradient, which is added to.
template <class T>
struct Leaf {
  Matrix<const T> values;
  Matrix<T> gradient;
};

/// y += x W^T (Into::add) or y = x W^T (overwrite), with a weight W [out, in];  dx += dy W;  dW +=
/// dy^T x, summed over all steps in one product. `y` may be what another operation has written a
/// part of.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> linear(Series<T> x, Leaf<T> weight, Series<T> y, Into into,
                                                Precision precision);

/// What a projection() is of: `rows` [steps.total(), in] or, with an `index` [steps.total()], some
/// distinct ones [U, in] of which row index[i] < U is meant by row i. Negative: row i of y goes
/// nowhere, and its gradient is not read.
template <class T>
struct ProjectionInput {
  Leaf<T> rows;
  const int64_t* index = nullptr;
};

/// A weight [out, in] and a bias [out] with its gradient, which is added to.
template <class T>
struct ProjectionWeights {
  Leaf<T> weight;
  const T* bias = nullptr;
  T* d_bias = nullptr;
};

/// y = x W^T + b for all steps in one product before the first, in which each of the rows is
/// multiplied once; gradients as above, and db += dy summed over rows and steps.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> projection(ProjectionInput<T> x,
                                                    ProjectionWeights<T> weights, Series<T> y,
                                                    Precision precision);

/// linear() by a packed weight, which is borrowed. Without a backward pass: backward() throws
/// std::logic_error.
[[nodiscard]] std::unique_ptr<Operation> linear(Series<float> x, const PackedWeight& weight,
                                                Series<float> y, Into into);

/// LSTM of lstm.h. Uses up `gates` [., 4 size]; `hidden`, `cell` [., size], which have a state in
/// front.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> lstm(Series<T> gates, Series<T> previous_cell,
                                              Series<T> cell, Series<T> hidden);

/// GRU of gru.h. Uses up `from_input` and `from_state` [., 3 size]. The gradient of `bias` is added
/// to `d_bias` [size].
template <class T>
[[nodiscard]] std::unique_ptr<Operation> gru(Series<T> from_input, Series<T> from_state,
                                             const T* bias, T* d_bias, Series<T> previous_hidden,
                                             Series<T> hidden);

/// Minimal GRU of min_gru.h. Uses up `gates` [., 2 size].
template <class T>
[[nodiscard]] std::unique_ptr<Operation> min_gru(Series<T> gates, Series<T> previous_hidden,
                                                 Series<T> hidden);

/// y = tanh x, in place: `x` becomes y.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> tanh_in_place(Series<T> x);

/// y = x + 1 where x > 0, else e^x, in place: `x` becomes y.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> positive_in_place(Series<T> x);

/// y = f x / max(|x|, 1e-8) with a factor f, one number, whose gradient `d_factor` is added to.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> scaled_direction(Series<T> x, const T* factor, T* d_factor,
                                                          Series<T> y);

/// The gain and bias of a layer normalisation [size], with gradients that are added to.
template <class T>
struct NormWeights {
  const T* gain = nullptr;
  const T* bias = nullptr;
  T* d_gain = nullptr;
  T* d_bias = nullptr;
};

/// y = gain (x - mean) / sqrt(variance + 1e-5) + bias over each row (Into::overwrite), or y += the
/// same (add). `of_x`: whether the gradient of x is overwritten, where no other operation reads x
/// and it may lie where x does, or added to.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> layer_norm(Series<T> x, const NormWeights<T>& weights,
                                                    Series<T> y, Into into, Into of_x);

/// The first half of an LSTM whose cell is normalised, as lstm(): `gates` become i f g o, and c = f
/// c' + i g. Writes the gradients of i, f and g.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> lstm_cell(Series<T> gates, Series<T> previous_cell,
                                                   Series<T> cell);

/// The other half, from the normalised cell n: h = o tanh(n). Writes the gradient of o.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> lstm_output(Series<T> gates, Series<T> normed,
                                                     Series<T> hidden);

/// y = x * mask, with one mask [rows of the first step, size] for all steps or, `by_step`, one for
/// each, [steps.total(), size].
template <class T>
[[nodiscard]] std::unique_ptr<Operation> masked(Series<T> x, const T* mask, bool by_step,
                                                Series<T> y);

/// y = a + b.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> sum(Series<T> a, Series<T> b, Series<T> y);

/// Attention of attention.h. `weights` [., S]; `kept` [., S] where the distribution keeps(); else
/// it has no memory. Uses up the gradient of `weights`.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> attention(const AttentionMemory<T>& memory,
                                                   const AttentionView<T>& view,
                                                   std::unique_ptr<AttentionEnergy<T>> energy,
                                                   const AttentionAnswer<T>& answer);

/// The body of a loop.
using Operations = std::vector<std::unique_ptr<Operation>>;

/// Runs loops over `steps` steps that have nothing to do with each other, such as the two
/// directions of an encoder: side by side, each on one thread, where there are no more threads than
/// loops; else one after the other, each step on all threads. The results are the same.
void run_forward(const std::vector<Operations>& loops, const Steps& steps);
void run_backward(const std::vector<Operations>& loops, const Steps& steps);

}  // namespace attend::kernels
