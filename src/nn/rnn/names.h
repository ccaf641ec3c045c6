#pragma once
// The kinds of recurrent cells, without LibTorch. To add one, add a file pair, a value with its
// name here, and a line in registry.cpp.
#include <array>

#include "core/named_enum.h"

namespace attend::nn {

enum class CellKind { dnc, gru, lstm, mingru, ntm };

constexpr auto name_table(CellKind) {
  return std::to_array<NamedValue<CellKind>>({
      {CellKind::dnc, "dnc"},
      {CellKind::gru, "gru"},
      {CellKind::lstm, "lstm"},
      {CellKind::mingru, "mingru"},
      {CellKind::ntm, "ntm"},
  });
}

/// Returns true if the cell's states hold a memory, whose size is in the config section `memory`.
[[nodiscard]] constexpr bool cell_has_memory(CellKind cell) {
  return is_one_of(cell, {CellKind::dnc, CellKind::ntm});
}

/// Returns true if a matrix multiplies the hidden state. Only then recurrent dropout has an effect.
[[nodiscard]] constexpr bool cell_has_recurrent_weights(CellKind cell) {
  return cell != CellKind::mingru;
}

/// The cell that reads a memory cell's input and moves its heads.
enum class Controller { gru, lstm };

constexpr auto name_table(Controller) {
  return std::to_array<NamedValue<Controller>>(
      {{Controller::gru, "gru"}, {Controller::lstm, "lstm"}});
}

}  // namespace attend::nn
