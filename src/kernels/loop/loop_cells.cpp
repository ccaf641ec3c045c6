#include "kernels/cells/gru.h"
#include "kernels/cells/lstm.h"
#include "kernels/cells/min_gru.h"
#include "kernels/cpu/parallel.h"
#include "kernels/loop/loop.h"

// Operations of a loop that run one step of a recurrent cell.

namespace attend::kernels {
namespace {

constexpr int64_t kColumnsOfThread = 64;  // columns per parallel task

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

/// The first half of an LSTM: lstm_cell().
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

}  // namespace

template <class T>
std::unique_ptr<Operation> lstm(Series<T> gates, Series<T> previous_cell, Series<T> cell,
                                Series<T> hidden) {
  return std::make_unique<Lstm<T>>(gates, previous_cell, cell, hidden);
}

template <class T>
std::unique_ptr<Operation> lstm_cell(Series<T> gates, Series<T> previous_cell, Series<T> cell) {
  return std::make_unique<NormedLstmCell<T>>(gates, previous_cell, cell);
}

template <class T>
std::unique_ptr<Operation> lstm_output(Series<T> gates, Series<T> normed, Series<T> hidden) {
  return std::make_unique<NormedLstmOutput<T>>(gates, normed, hidden);
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

template std::unique_ptr<Operation> lstm(Series<float>, Series<float>, Series<float>,
                                         Series<float>);
template std::unique_ptr<Operation> lstm(Series<double>, Series<double>, Series<double>,
                                         Series<double>);
template std::unique_ptr<Operation> lstm_cell(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> lstm_cell(Series<double>, Series<double>, Series<double>);
template std::unique_ptr<Operation> lstm_output(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> lstm_output(Series<double>, Series<double>, Series<double>);
template std::unique_ptr<Operation> gru(Series<float>, Series<float>, const float*, float*,
                                        Series<float>, Series<float>);
template std::unique_ptr<Operation> gru(Series<double>, Series<double>, const double*, double*,
                                        Series<double>, Series<double>);
template std::unique_ptr<Operation> min_gru(Series<float>, Series<float>, Series<float>);
template std::unique_ptr<Operation> min_gru(Series<double>, Series<double>, Series<double>);

}  // namespace attend::kernels
