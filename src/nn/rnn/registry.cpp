#include <functional>
#include <map>

#include "nn/rnn/cell.h"
#include "nn/rnn/dnc_cell.h"
#include "nn/rnn/gru_cell.h"
#include "nn/rnn/lstm_cell.h"
#include "nn/rnn/min_gru_cell.h"
#include "nn/rnn/ntm_cell.h"

namespace attend::nn {
namespace {

struct CellEntry {
  std::function<std::shared_ptr<RnnCell>(int64_t, int64_t, bool, const MemoryOptions&)> make;
  bool has_memory = false;
  bool has_recurrent_weights = true;
};

template <class Cell>
CellEntry plain_cell(bool has_recurrent_weights = true) {
  return {[](int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions&) {
            return std::make_shared<Cell>(input_size, hidden_size, layer_norm);
          },
          /*has_memory=*/false, has_recurrent_weights};
}

template <class Cell>
CellEntry memory_cell() {
  return {
      [](int64_t input_size, int64_t hidden_size, bool layer_norm, const MemoryOptions& memory) {
        return std::make_shared<Cell>(input_size, hidden_size, layer_norm, memory);
      },
      true};
}

/// Every cell, by the name that configs use.
std::map<std::string, CellEntry> registry() {
  return {
      {"dnc", memory_cell<DncCell>()},
      {"gru", plain_cell<GruCell>()},
      {"lstm", plain_cell<LstmCell>()},
      {"mingru", plain_cell<MinGruCell>(/*has_recurrent_weights=*/false)},
      {"ntm", memory_cell<NtmCell>()},
  };
}

}  // namespace

std::vector<std::string> cell_names() {
  std::vector<std::string> names;
  for (const auto& entry : registry()) names.push_back(entry.first);
  return names;
}

bool cell_has_memory(const std::string& name) {
  return registry().at(name).has_memory;
}

bool cell_has_recurrent_weights(const std::string& name) {
  return registry().at(name).has_recurrent_weights;
}

std::shared_ptr<RnnCell> make_cell(const std::string& name, int64_t input_size, int64_t hidden_size,
                                   bool layer_norm, const MemoryOptions& memory) {
  return registry().at(name).make(input_size, hidden_size, layer_norm, memory);
}

}  // namespace attend::nn
