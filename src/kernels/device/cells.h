#pragma once
#include "kernels/cells/gru.h"
#include "kernels/cells/lstm.h"
#include "kernels/cells/min_gru.h"
#include "kernels/device/device.h"

// Steps of recurrent cells (kernels/cells). Each call of a body computes one unit of one row. It
// reads all gates of the unit before it writes, since gradients may share their memory.
namespace attend::kernels::device {

/// lstm_step(), or with `halved` lstm_cell_step().
template <class T>
struct LstmUnit {
  LstmStep<T> step;
  bool halved = false;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const int64_t size = step.size;
    const RowColumn at = RowColumn::of(number, size);
    T* const gates = step.gates + at.row * 4 * size + at.column;
    const T in = sigmoid(gates[0]), forget = sigmoid(gates[size]);
    const T candidate = std::tanh(gates[2 * size]), out = sigmoid(gates[3 * size]);
    const T cell = forget * step.previous_cell[number] + in * candidate;
    gates[0] = in;
    gates[size] = forget;
    gates[2 * size] = candidate;
    gates[3 * size] = out;
    step.cell[number] = cell;
    if (!halved) step.hidden[number] = out * std::tanh(cell);
  }
};

/// lstm_step_gradient(), or with `halved` lstm_cell_step_gradient().
template <class T>
struct LstmUnitGradient {
  LstmStepGradient<T> step;
  bool halved = false;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const int64_t size = step.size;
    const RowColumn at = RowColumn::of(number, size);
    const int64_t first = at.row * 4 * size + at.column;
    const T* const gates = step.gates + first;
    T* const d_gates = step.d_gates + first;
    const T in = gates[0], forget = gates[size], candidate = gates[2 * size];
    T d_cell = step.d_cell[number];
    if (!halved) {
      const T out = gates[3 * size], squashed = std::tanh(step.cell[number]);
      const T d_hidden = step.d_hidden[number];
      d_cell += d_hidden * out * (T(1) - squashed * squashed);
      d_gates[3 * size] = d_hidden * squashed * out * (T(1) - out);
    }
    d_gates[0] = d_cell * candidate * in * (T(1) - in);
    d_gates[size] = d_cell * step.previous_cell[number] * forget * (T(1) - forget);
    d_gates[2 * size] = d_cell * in * (T(1) - candidate * candidate);
    step.d_previous_cell[number] += d_cell * forget;
  }
};

/// lstm_output_step().
template <class T>
struct LstmOutputUnit {
  LstmStep<T> step;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const RowColumn at = RowColumn::of(number, step.size);
    const T out = step.gates[(at.row * 4 + 3) * step.size + at.column];
    step.hidden[number] = out * std::tanh(step.cell[number]);
  }
};

template <class T>
struct LstmOutputUnitGradient {
  LstmStepGradient<T> step;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const RowColumn at = RowColumn::of(number, step.size);
    const int64_t place = (at.row * 4 + 3) * step.size + at.column;
    const T out = step.gates[place], squashed = std::tanh(step.cell[number]);
    const T d_hidden = step.d_hidden[number];
    step.d_previous_cell[number] += d_hidden * out * (T(1) - squashed * squashed);
    step.d_gates[place] = d_hidden * squashed * out * (T(1) - out);
  }
};

template <class T>
struct GruUnit {
  GruStep<T> step;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const int64_t size = step.size;
    const RowColumn at = RowColumn::of(number, size);
    const int64_t first = at.row * 3 * size + at.column;
    T* const input = step.from_input + first;
    T* const state = step.from_state + first;
    const T reset = sigmoid(input[0] + state[0]), update = sigmoid(input[size] + state[size]);
    const T from_state = state[2 * size] + step.bias[at.column];
    const T candidate = std::tanh(input[2 * size] + reset * from_state);
    input[0] = reset;
    input[size] = update;
    input[2 * size] = candidate;
    state[2 * size] = from_state;
    step.hidden[number] = candidate + update * (step.previous_hidden[number] - candidate);
  }
};

template <class T>
struct GruUnitGradient {
  GruStepGradient<T> step;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const int64_t size = step.size;
    const RowColumn at = RowColumn::of(number, size);
    const int64_t first = at.row * 3 * size + at.column;
    const T* const gates = step.gates + first;
    const T reset = gates[0], update = gates[size], candidate = gates[2 * size];
    const T from_state = step.from_state[first + 2 * size], d_hidden = step.d_hidden[number];
    const T d_candidate = d_hidden * (T(1) - update) * (T(1) - candidate * candidate);
    const T d_reset = d_candidate * from_state * reset * (T(1) - reset);
    const T d_update =
        d_hidden * (step.previous_hidden[number] - candidate) * update * (T(1) - update);
    T* const d_input = step.d_from_input + first;
    T* const d_state = step.d_from_state + first;
    step.d_previous_hidden[number] += d_hidden * update;
    d_input[0] = d_state[0] = d_reset;
    d_input[size] = d_state[size] = d_update;
    d_input[2 * size] = d_candidate;
    d_state[2 * size] = d_candidate * reset;
  }
};

template <class T>
struct MinGruUnit {
  MinGruStep<T> step;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const RowColumn at = RowColumn::of(number, step.size);
    T* const gates = step.gates + at.row * 2 * step.size + at.column;
    const T update = sigmoid(gates[0]), previous = step.previous_hidden[number];
    gates[0] = update;
    step.hidden[number] = previous + update * (gates[step.size] - previous);
  }
};

template <class T>
struct MinGruUnitGradient {
  MinGruStepGradient<T> step;

  ATTEND_DEVICE void operator()(int64_t number) const {
    const RowColumn at = RowColumn::of(number, step.size);
    const int64_t first = at.row * 2 * step.size + at.column;
    const T update = step.gates[first], candidate = step.gates[first + step.size];
    const T d_hidden = step.d_hidden[number];
    step.d_previous_hidden[number] += d_hidden * (T(1) - update);
    step.d_gates[first] =
        d_hidden * (candidate - step.previous_hidden[number]) * update * (T(1) - update);
    step.d_gates[first + step.size] = d_hidden * update;
  }
};

}  // namespace attend::kernels::device
