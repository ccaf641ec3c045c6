#include "kernels/device/cells.h"

#include "nn/fused/device/operations.h"

namespace attend::nn::fused::device {
namespace {

using kernels::Series;
namespace bodies = kernels::device;

/// lstm(), or with `halved` lstm_cell(), which has no hidden state.
template <class T>
class DeviceLstm final : public kernels::Operation {
 public:
  DeviceLstm(const Where& where, Series<T> gates, Series<T> previous_cell, Series<T> cell,
             Series<T> hidden, bool halved)
      : where_(where),
        gates_(gates),
        previous_cell_(previous_cell),
        cell_(cell),
        hidden_(hidden),
        halved_(halved) {}

  void forward(int64_t step) override {
    const kernels::LstmStep<T> work{.rows = cell_.rows(step),
                                    .size = cell_.size,
                                    .gates = gates_.value(step),
                                    .previous_cell = previous_cell_.value(step),
                                    .cell = cell_.value(step),
                                    .hidden = halved_ ? nullptr : hidden_.value(step)};
    run_numbers("attend::lstm", where_, bodies::LstmUnit<T>{work, halved_}, cell_.count(step));
  }

  void backward(int64_t step) override {
    const kernels::LstmStepGradient<T> work{.rows = cell_.rows(step),
                                            .size = cell_.size,
                                            .gates = gates_.value(step),
                                            .previous_cell = previous_cell_.value(step),
                                            .cell = cell_.value(step),
                                            .d_hidden = halved_ ? nullptr : hidden_.gradient(step),
                                            .d_cell = cell_.gradient(step),
                                            .d_previous_cell = previous_cell_.gradient(step),
                                            .d_gates = gates_.gradient(step)};
    run_numbers("attend::lstm_gradient", where_, bodies::LstmUnitGradient<T>{work, halved_},
                cell_.count(step));
  }

 private:
  Where where_;
  Series<T> gates_, previous_cell_, cell_, hidden_;
  bool halved_;
};

template <class T>
class DeviceLstmOutput final : public kernels::Operation {
 public:
  DeviceLstmOutput(const Where& where, Series<T> gates, Series<T> normed, Series<T> hidden)
      : where_(where), gates_(gates), normed_(normed), hidden_(hidden) {}

  void forward(int64_t step) override {
    const kernels::LstmStep<T> work{.rows = hidden_.rows(step),
                                    .size = hidden_.size,
                                    .gates = gates_.value(step),
                                    .cell = normed_.value(step),
                                    .hidden = hidden_.value(step)};
    run_numbers("attend::lstm_output", where_, bodies::LstmOutputUnit<T>{work},
                hidden_.count(step));
  }

  void backward(int64_t step) override {
    const kernels::LstmStepGradient<T> work{.rows = hidden_.rows(step),
                                            .size = hidden_.size,
                                            .gates = gates_.value(step),
                                            .cell = normed_.value(step),
                                            .d_hidden = hidden_.gradient(step),
                                            .d_previous_cell = normed_.gradient(step),
                                            .d_gates = gates_.gradient(step)};
    run_numbers("attend::lstm_output_gradient", where_, bodies::LstmOutputUnitGradient<T>{work},
                hidden_.count(step));
  }

 private:
  Where where_;
  Series<T> gates_, normed_, hidden_;
};

template <class T>
class DeviceGru final : public kernels::Operation {
 public:
  DeviceGru(const Where& where, Series<T> from_input, Series<T> from_state, const Leaf& bias,
            Series<T> previous_hidden, Series<T> hidden)
      : where_(where),
        from_input_(from_input),
        from_state_(from_state),
        previous_hidden_(previous_hidden),
        hidden_(hidden),
        bias_(bias) {}

  void forward(int64_t step) override {
    const kernels::GruStep<T> work{.rows = hidden_.rows(step),
                                   .size = hidden_.size,
                                   .from_input = from_input_.value(step),
                                   .from_state = from_state_.value(step),
                                   .bias = bias_.data<T>(),
                                   .previous_hidden = previous_hidden_.value(step),
                                   .hidden = hidden_.value(step)};
    run_numbers("attend::gru", where_, bodies::GruUnit<T>{work}, hidden_.count(step));
  }

  void backward(int64_t step) override {
    const kernels::GruStepGradient<T> work{.rows = hidden_.rows(step),
                                           .size = hidden_.size,
                                           .gates = from_input_.value(step),
                                           .from_state = from_state_.value(step),
                                           .previous_hidden = previous_hidden_.value(step),
                                           .d_hidden = hidden_.gradient(step),
                                           .d_previous_hidden = previous_hidden_.gradient(step),
                                           .d_from_input = from_input_.gradient(step),
                                           .d_from_state = from_state_.gradient(step)};
    run_numbers("attend::gru_gradient", where_, bodies::GruUnitGradient<T>{work},
                hidden_.count(step));
  }

  void finish() override {
    const int64_t size = hidden_.size;
    bias_.gradient.add_(gradients(where_, from_state_).narrow(1, 2 * size, size).sum(0));
  }

 private:
  Where where_;
  Series<T> from_input_, from_state_, previous_hidden_, hidden_;
  Leaf bias_;
};

template <class T>
class DeviceMinGru final : public kernels::Operation {
 public:
  DeviceMinGru(const Where& where, Series<T> gates, Series<T> previous_hidden, Series<T> hidden)
      : where_(where), gates_(gates), previous_hidden_(previous_hidden), hidden_(hidden) {}

  void forward(int64_t step) override {
    const kernels::MinGruStep<T> work{.rows = hidden_.rows(step),
                                      .size = hidden_.size,
                                      .gates = gates_.value(step),
                                      .previous_hidden = previous_hidden_.value(step),
                                      .hidden = hidden_.value(step)};
    run_numbers("attend::min_gru", where_, bodies::MinGruUnit<T>{work}, hidden_.count(step));
  }

  void backward(int64_t step) override {
    const kernels::MinGruStepGradient<T> work{.rows = hidden_.rows(step),
                                              .size = hidden_.size,
                                              .gates = gates_.value(step),
                                              .previous_hidden = previous_hidden_.value(step),
                                              .d_hidden = hidden_.gradient(step),
                                              .d_previous_hidden = previous_hidden_.gradient(step),
                                              .d_gates = gates_.gradient(step)};
    run_numbers("attend::min_gru_gradient", where_, bodies::MinGruUnitGradient<T>{work},
                hidden_.count(step));
  }

 private:
  Where where_;
  Series<T> gates_, previous_hidden_, hidden_;
};

}  // namespace

template <class T>
OperationPointer lstm(const Where& where, Series<T> gates, Series<T> previous_cell, Series<T> cell,
                      Series<T> hidden) {
  return std::make_unique<DeviceLstm<T>>(where, gates, previous_cell, cell, hidden, false);
}

template <class T>
OperationPointer lstm_cell(const Where& where, Series<T> gates, Series<T> previous_cell,
                           Series<T> cell) {
  return std::make_unique<DeviceLstm<T>>(where, gates, previous_cell, cell, Series<T>{}, true);
}

template <class T>
OperationPointer lstm_output(const Where& where, Series<T> gates, Series<T> normed,
                             Series<T> hidden) {
  return std::make_unique<DeviceLstmOutput<T>>(where, gates, normed, hidden);
}

template <class T>
OperationPointer gru(const Where& where, Series<T> from_input, Series<T> from_state,
                     const Leaf& bias, Series<T> previous_hidden, Series<T> hidden) {
  return std::make_unique<DeviceGru<T>>(where, from_input, from_state, bias, previous_hidden,
                                        hidden);
}

template <class T>
OperationPointer min_gru(const Where& where, Series<T> gates, Series<T> previous_hidden,
                         Series<T> hidden) {
  return std::make_unique<DeviceMinGru<T>>(where, gates, previous_hidden, hidden);
}

#define ATTEND_CELLS(T)                                                                     \
  template OperationPointer lstm(const Where&, Series<T>, Series<T>, Series<T>, Series<T>); \
  template OperationPointer lstm_cell(const Where&, Series<T>, Series<T>, Series<T>);       \
  template OperationPointer lstm_output(const Where&, Series<T>, Series<T>, Series<T>);     \
  template OperationPointer gru(const Where&, Series<T>, Series<T>, const Leaf&, Series<T>, \
                                Series<T>);                                                 \
  template OperationPointer min_gru(const Where&, Series<T>, Series<T>, Series<T>);

ATTEND_CELLS(float)
ATTEND_CELLS(double)

#undef ATTEND_CELLS

}  // namespace attend::nn::fused::device
