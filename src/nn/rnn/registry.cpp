#include <functional>
#include <map>

#include "nn/rnn/cell.h"
#include "nn/rnn/gru_cell.h"
#include "nn/rnn/lstm_cell.h"

namespace attend::nn {
namespace {

using MakeCell = std::function<std::shared_ptr<RnnCell>(int64_t, int64_t, bool)>;

template <class Cell>
std::shared_ptr<RnnCell> make(int64_t input_size, int64_t hidden_size, bool layer_norm) {
  return std::make_shared<Cell>(input_size, hidden_size, layer_norm);
}

/// Every cell, by the name that configs use.
std::map<std::string, MakeCell> registry() {
  return {
      {"gru", make<GruCell>},
      {"lstm", make<LstmCell>},
  };
}

}  // namespace

std::vector<std::string> cell_names() {
  std::vector<std::string> names;
  for (const auto& [name, make_it] : registry()) names.push_back(name);
  return names;
}

std::shared_ptr<RnnCell> make_cell(const std::string& name, int64_t input_size, int64_t hidden_size,
                                   bool layer_norm) {
  return registry().at(name)(input_size, hidden_size, layer_norm);
}

}  // namespace attend::nn
