#include "kernels/loop/loop.h"

#include "kernels/cells/gru.h"
#include "kernels/cells/lstm.h"
#include "kernels/cells/min_gru.h"
#include "kernels/cpu/clones.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector_math.h"

// A loop is a list of operations with memory allocated beforehand. Unlike automatic
// differentiation, it records and allocates nothing during a step. The values of all steps are
// kept, step after step, for the backward pass: gates in the place of pre-activations, y of tanh in
// the place of x (its derivative is 1 - y^2). The backward pass runs the operations in reverse
// order, and each adds to the gradients of its inputs, so several operations can read one input.
// start() and finish() do the work that is faster for all steps at once: one large product for a
// weight's gradient instead of a small one per step.

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = int64_t{1} << 13;  // numbers per parallel task
constexpr int64_t kColumnsOfThread = 64;      // columns per parallel task

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
class Lstm final : public Operation {
 public:
  Lstm(Series<T> gates, Series<T> previous_cell, Series<T> cell, Series<T> hidden)
      : gates_(gates), previous_cell_(previous_cell), cell_(cell), hidden_(hidden) {}

  void forward(int64_t step) override {
    lstm_step(LstmStep<T>{.rows = hidden_.rows(step),
                          .size = hidden_.size,
                          .gates = gates_.value(step),
                          .previous_cell = previous_cell_.value(step),
                          .cell = cell_.value(step),
                          .hidden = hidden_.value(step)});
  }

  void backward(int64_t step) override {
    lstm_step_gradient(LstmStepGradient<T>{.rows = hidden_.rows(step),
                                           .size = hidden_.size,
                                           .gates = gates_.value(step),
                                           .previous_cell = previous_cell_.value(step),
                                           .cell = cell_.value(step),
                                           .d_hidden = hidden_.gradient(step),
                                           .d_cell = cell_.gradient(step),
                                           .d_previous_cell = previous_cell_.gradient(step),
                                           .d_gates = gates_.gradient(step)});
  }

 private:
  Series<T> gates_, previous_cell_, cell_, hidden_;
};

/// lstm() without the output step.
template <class T>
class NormedLstmCell final : public Operation {
 public:
  NormedLstmCell(Series<T> gates, Series<T> previous_cell, Series<T> cell)
      : gates_(gates), previous_cell_(previous_cell), cell_(cell) {}

  void forward(int64_t step) override {
    lstm_cell_step(LstmStep<T>{.rows = cell_.rows(step),
                               .size = cell_.size,
                               .gates = gates_.value(step),
                               .previous_cell = previous_cell_.value(step),
                               .cell = cell_.value(step)});
  }

  void backward(int64_t step) override {
    lstm_cell_step_gradient(LstmStepGradient<T>{.rows = cell_.rows(step),
                                                .size = cell_.size,
                                                .gates = gates_.value(step),
                                                .previous_cell = previous_cell_.value(step),
                                                .cell = cell_.value(step),
                                                .d_cell = cell_.gradient(step),
                                                .d_previous_cell = previous_cell_.gradient(step),
                                                .d_gates = gates_.gradient(step)});
  }

 private:
  Series<T> gates_, previous_cell_, cell_;
};

template <class T>
class NormedLstmOutput final : public Operation {
 public:
  NormedLstmOutput(Series<T> gates, Series<T> normed, Series<T> hidden)
      : gates_(gates), normed_(normed), hidden_(hidden) {}

  void forward(int64_t step) override {
    lstm_output_step(LstmStep<T>{.rows = hidden_.rows(step),
                                 .size = hidden_.size,
                                 .gates = gates_.value(step),
                                 .cell = normed_.value(step),
                                 .hidden = hidden_.value(step)});
  }

  void backward(int64_t step) override {
    lstm_output_step_gradient(LstmStepGradient<T>{.rows = hidden_.rows(step),
                                                  .size = hidden_.size,
                                                  .gates = gates_.value(step),
                                                  .cell = normed_.value(step),
                                                  .d_hidden = hidden_.gradient(step),
                                                  .d_previous_cell = normed_.gradient(step),
                                                  .d_gates = gates_.gradient(step)});
  }

 private:
  Series<T> gates_, normed_, hidden_;
};

template <class T>
class Gru final : public Operation {
 public:
  Gru(Series<T> from_input, Series<T> from_state, const T* bias, T* d_bias,
      Series<T> previous_hidden, Series<T> hidden)
      : from_input_(from_input),
        from_state_(from_state),
        previous_hidden_(previous_hidden),
        hidden_(hidden),
        bias_(bias),
        d_bias_(d_bias) {}

  void forward(int64_t step) override {
    gru_step(GruStep<T>{.rows = hidden_.rows(step),
                        .size = hidden_.size,
                        .from_input = from_input_.value(step),
                        .from_state = from_state_.value(step),
                        .bias = bias_,
                        .previous_hidden = previous_hidden_.value(step),
                        .hidden = hidden_.value(step)});
  }

  void backward(int64_t step) override {
    gru_step_gradient(GruStepGradient<T>{.rows = hidden_.rows(step),
                                         .size = hidden_.size,
                                         .gates = from_input_.value(step),
                                         .from_state = from_state_.value(step),
                                         .previous_hidden = previous_hidden_.value(step),
                                         .d_hidden = hidden_.gradient(step),
                                         .d_previous_hidden = previous_hidden_.gradient(step),
                                         .d_from_input = from_input_.gradient(step),
                                         .d_from_state = from_state_.gradient(step)});
  }

  void finish() override {
    const int64_t size = hidden_.size;
    parallel_ranges(size, kColumnsOfThread, [&](int64_t begin, int64_t end) {
      for (int64_t row = 0; row < from_state_.steps->total(); ++row) {
        const T* const d_candidate = from_state_.gradients + row * 3 * size + 2 * size;
        for (int64_t k = begin; k < end; ++k) d_bias_[k] += d_candidate[k];
      }
    });
  }

 private:
  Series<T> from_input_, from_state_, previous_hidden_, hidden_;
  const T* bias_;
  T* d_bias_;
};

template <class T>
class MinGru final : public Operation {
 public:
  MinGru(Series<T> gates, Series<T> previous_hidden, Series<T> hidden)
      : gates_(gates), previous_hidden_(previous_hidden), hidden_(hidden) {}

  void forward(int64_t step) override {
    min_gru_step(MinGruStep<T>{.rows = hidden_.rows(step),
                               .size = hidden_.size,
                               .gates = gates_.value(step),
                               .previous_hidden = previous_hidden_.value(step),
                               .hidden = hidden_.value(step)});
  }

  void backward(int64_t step) override {
    min_gru_step_gradient(
        MinGruStepGradient<T>{.rows = hidden_.rows(step),
                              .size = hidden_.size,
                              .gates = gates_.value(step),
                              .previous_hidden = previous_hidden_.value(step),
                              .d_hidden = hidden_.gradient(step),
                              .d_previous_hidden = previous_hidden_.gradient(step),
                              .d_gates = gates_.gradient(step)});
  }

 private:
  Series<T> gates_, previous_hidden_, hidden_;
};

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
std::unique_ptr<Operation> lstm(Series<T> gates, Series<T> previous_cell, Series<T> cell,
                                Series<T> hidden) {
  return std::make_unique<Lstm<T>>(gates, previous_cell, cell, hidden);
}

template <class T>
std::unique_ptr<Operation> gru(Series<T> from_input, Series<T> from_state, const T* bias, T* d_bias,
                               Series<T> previous_hidden, Series<T> hidden) {
  return std::make_unique<Gru<T>>(from_input, from_state, bias, d_bias, previous_hidden, hidden);
}

template <class T>
std::unique_ptr<Operation> min_gru(Series<T> gates, Series<T> previous_hidden, Series<T> hidden) {
  return std::make_unique<MinGru<T>>(gates, previous_hidden, hidden);
}

template <class T>
std::unique_ptr<Operation> tanh_in_place(Series<T> x) {
  return std::make_unique<Tanh<T>>(x);
}

template <class T>
std::unique_ptr<Operation> masked(Series<T> x, const T* mask, bool by_step, Series<T> y) {
  return std::make_unique<Masked<T>>(x, mask, by_step, y);
}

template <class T>
std::unique_ptr<Operation> sum(Series<T> a, Series<T> b, Series<T> y) {
  return std::make_unique<Sum<T>>(a, b, y);
}

template <class T>
std::unique_ptr<Operation> positive_in_place(Series<T> x) {
  return std::make_unique<Positive<T>>(x);
}

template <class T>
std::unique_ptr<Operation> lstm_cell(Series<T> gates, Series<T> previous_cell, Series<T> cell) {
  return std::make_unique<NormedLstmCell<T>>(gates, previous_cell, cell);
}

template <class T>
std::unique_ptr<Operation> lstm_output(Series<T> gates, Series<T> normed, Series<T> hidden) {
  return std::make_unique<NormedLstmOutput<T>>(gates, normed, hidden);
}

template std::unique_ptr<Operation> lstm(Series<float>, Series<float>, Series<float>,
                                         Series<float>);
template std::unique_ptr<Operation> lstm(Series<double>, Series<double>, Series<double>,
                                         Series<double>);
template std::unique_ptr<Operation> gru(Series<float>, Series<float>, const float*, float*,
                                        Series<float>, Series<float>);
template std::unique_ptr<Operation> gru(Series<double>, Series<double>, const double*, double*,
                                        Series<double>, Series<double>);
template std::unique_ptr<Operation> min_gru(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> min_gru(Series<double>, Series<double>, Series<double>);
template std::unique_ptr<Operation> tanh_in_place(Series<float>);
template std::unique_ptr<Operation> tanh_in_place(Series<double>);
template std::unique_ptr<Operation> masked(Series<float>, const float*, bool, Series<float>);
template std::unique_ptr<Operation> masked(Series<double>, const double*, bool, Series<double>);
template std::unique_ptr<Operation> sum(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> sum(Series<double>, Series<double>, Series<double>);
template std::unique_ptr<Operation> positive_in_place(Series<float>);
template std::unique_ptr<Operation> positive_in_place(Series<double>);
template std::unique_ptr<Operation> lstm_cell(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> lstm_cell(Series<double>, Series<double>, Series<double>);
template std::unique_ptr<Operation> lstm_output(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> lstm_output(Series<double>, Series<double>, Series<double>);

namespace {

void forward_through(const Operations& body, const Steps& steps) {
  for (const std::unique_ptr<Operation>& operation : body) operation->start();
  for (int64_t step = 0; step < steps.count(); ++step) {
    for (const std::unique_ptr<Operation>& operation : body) operation->forward(step);
  }
}

void backward_through(const Operations& body, const Steps& steps) {
  for (int64_t step = steps.count() - 1; step >= 0; --step) {
    for (auto operation = body.rbegin(); operation != body.rend(); ++operation) {
      (*operation)->backward(step);
    }
  }
  for (const std::unique_ptr<Operation>& operation : body) operation->finish();
}

/// With more threads than loops, running loops in parallel would leave threads idle; instead all
/// threads work inside each step.
template <class Run>
void run_all(const std::vector<Operations>& loops, const Run& run) {
  if (omp_get_max_threads() > static_cast<int>(loops.size())) {
    for (const Operations& body : loops) run(body);
    return;
  }
  parallel_ranges(static_cast<int64_t>(loops.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(loops[static_cast<std::size_t>(i)]);
  });
}

}  // namespace

void run_forward(const std::vector<Operations>& loops, const Steps& steps) {
  run_all(loops, [&](const Operations& body) { forward_through(body, steps); });
}

void run_backward(const std::vector<Operations>& loops, const Steps& steps) {
  run_all(loops, [&](const Operations& body) { backward_through(body, steps); });
}

}  // namespace attend::kernels
