#include "nn/rnn/cell.h"
#include "nn/rnn/dnc_cell.h"
#include "nn/rnn/gru_cell.h"
#include "nn/rnn/lstm_cell.h"
#include "nn/rnn/min_gru_cell.h"
#include "nn/rnn/ntm_cell.h"

namespace attend::nn {

std::shared_ptr<RnnCell> make_cell(CellKind kind, int64_t input_size, int64_t hidden_size,
                                   bool layer_norm, const MemoryOptions& memory) {
  const auto plain = [&]<class Cell>(std::type_identity<Cell>) {
    return std::make_shared<Cell>(input_size, hidden_size, layer_norm);
  };
  const auto with_memory = [&]<class Cell>(std::type_identity<Cell>) {
    return std::make_shared<Cell>(input_size, hidden_size, layer_norm, memory);
  };
  switch (kind) {
    case CellKind::dnc:
      return with_memory(std::type_identity<DncCell>());
    case CellKind::gru:
      return plain(std::type_identity<GruCell>());
    case CellKind::lstm:
      return plain(std::type_identity<LstmCell>());
    case CellKind::mingru:
      return plain(std::type_identity<MinGruCell>());
    case CellKind::ntm:
      return with_memory(std::type_identity<NtmCell>());
  }
  return nullptr;
}

}  // namespace attend::nn
