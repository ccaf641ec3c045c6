#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/layer/series.h"
#include "kernels/product/gemm.h"
#include "kernels/product/packed_weight.h"

namespace attend::kernels {

/// One operation in the body of a loop over the steps of a sequence. The forward pass calls start()
/// of all operations and then, for step 0, 1, ..., forward() of all. The backward pass calls
/// backward() in reverse order of steps and operations, and then finish() of all. Each pass may
/// create its own operations for the same series; the forward pass needs no gradients. An operation
/// adds to the gradients of its inputs. When its backward() runs, the gradients of its outputs are
/// complete. Some inputs are used up (gates, the inputs of a GRU, x of tanh_in_place): the
/// operation replaces the values and overwrites the gradient, so no other operation may read them.
/// The gradients of gates and of a GRU's inputs may share the memory of the values.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Work for all steps at once, before the first step.
  virtual void start() {}
  virtual void forward(int64_t step) = 0;
  virtual void backward(int64_t step) = 0;
  /// Work for all steps at once, after the last backward(): gradients of weights.
  virtual void finish() {}
};

/// A matrix that no operation computes, and the sum of its gradients.
template <class T>
struct Leaf {
  Matrix<const T> values;
  Matrix<T> gradient;
};

/// y += x W^T (Into::add) or y = x W^T (overwrite), with a weight W [out, in];  dx += dy W;  dW +=
/// dy^T x, over all steps in one product. With Into::add another operation has written `y` before.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> linear(Series<T> x, Leaf<T> weight, Series<T> y, Into into,
                                                Precision precision);

/// Input of a projection(): `rows` [steps.total(), in]; or, with an `index` [steps.total()],
/// distinct rows [U, in]: row i of the input is row index[i] < U. If index[i] is negative, row i of
/// y is unused and its gradient is not read.
template <class T>
struct ProjectionInput {
  Leaf<T> rows;
  const int64_t* index = nullptr;
};

/// A weight [out, in] and a bias [out], and the sums of their gradients.
template <class T>
struct ProjectionWeights {
  Leaf<T> weight;
  const T* bias = nullptr;
  T* d_bias = nullptr;
};

/// y = x W^T + b for all steps in one product before the first step, which multiplies each distinct
/// row once. Gradients as in linear(), and db += dy summed over rows and steps.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> projection(ProjectionInput<T> x,
                                                    ProjectionWeights<T> weights, Series<T> y,
                                                    Precision precision);

/// linear() with a borrowed packed weight. Forward only: backward() throws std::logic_error.
[[nodiscard]] std::unique_ptr<Operation> linear(Series<float> x, const PackedWeight& weight,
                                                Series<float> y, Into into);

/// LSTM of lstm.h. Uses up `gates` [., 4 size]. The initial state precedes the memory of `hidden`
/// and `cell` [., size].
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

/// x = tanh x, in place.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> tanh_in_place(Series<T> x);

/// x = x + 1 where x > 0, else e^x, in place.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> positive_in_place(Series<T> x);

/// y = f x / max(|x|, 1e-8) with a scalar f, whose gradient is added to `d_factor`.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> scaled_direction(Series<T> x, const T* factor, T* d_factor,
                                                          Series<T> y);

/// Gain and bias [size] of a layer normalisation, and the sums of their gradients.
template <class T>
struct NormWeights {
  const T* gain = nullptr;
  const T* bias = nullptr;
  T* d_gain = nullptr;
  T* d_bias = nullptr;
};

/// y = gain (x - mean) / sqrt(variance + 1e-5) + bias over each row (Into::overwrite), or y += the
/// same (add). `of_x`: overwrite the gradient of x, which may share the memory of x if no other
/// operation reads x, or add to it.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> layer_norm(Series<T> x, const NormWeights<T>& weights,
                                                    Series<T> y, Into into, Into of_x);

/// First half of an LSTM whose cell is normalised: replaces `gates` by i f g o and computes
/// c = f c' + i g. Writes the gradients of i, f and g.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> lstm_cell(Series<T> gates, Series<T> previous_cell,
                                                   Series<T> cell);

/// Output of an LSTM whose cell is normalised to n: h = o tanh(n). Writes the gradient of o.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> lstm_output(Series<T> gates, Series<T> normed,
                                                     Series<T> hidden);

/// y = x * mask, with one mask [rows of the first step, size] for all steps or, `by_step`, one per
/// step, [steps.total(), size].
template <class T>
[[nodiscard]] std::unique_ptr<Operation> masked(Series<T> x, const T* mask, bool by_step,
                                                Series<T> y);

/// y = a + b.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> sum(Series<T> a, Series<T> b, Series<T> y);

/// Attention of attention.h. `weights` [., S]; `kept` [., S] has memory only if the distribution
/// keeps(). Uses up the gradient of `weights`.
template <class T>
[[nodiscard]] std::unique_ptr<Operation> attention(const AttentionMemory<T>& memory,
                                                   const AttentionView<T>& view,
                                                   std::unique_ptr<AttentionEnergy<T>> energy,
                                                   const AttentionResult<T>& result);

/// The body of a loop.
using Operations = std::vector<std::unique_ptr<Operation>>;

/// Runs independent loops over `steps`, such as the two directions of an encoder. With no more
/// threads than loops they run in parallel, one thread each; else one after another, each step on
/// all threads. The results are the same.
void run_forward(const std::vector<Operations>& loops, const Steps& steps);
void run_backward(const std::vector<Operations>& loops, const Steps& steps);

}  // namespace attend::kernels
