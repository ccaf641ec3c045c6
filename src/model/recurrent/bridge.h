#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "nn/linear.h"

namespace attend::model {

/// Where the decoder's first states come from:
///   zero: nothing;   copy: the encoder's last states, layer by layer (Sutskever et al. 2014);
///   last: h = tanh(W s + b) of the top layer's last state s (after Bahdanau et al. 2015, App.
///   A.2.2, which reads the
///         backward direction only);
///   mean: the same of the mean encoder output (as in Nematus, Sennrich et al. 2017, Sec. 2.1).
/// An LSTM's cell state is W' s' + b' of the top layer's last cell state (last), which is its
/// hidden state where it has no vector of its own, as a GRU's, or of the mean output (mean). A
/// memory is handed over by copy, and else begins empty.
class Bridge : public torch::nn::Module {
 public:
  /// `has_cell`: whether the decoder's states have a cell state like the hidden one. Throws
  /// ConfigError if the encoder has no summary, which holds the last states, and the kind reads it.
  Bridge(const RecurrentDecoderOptions& options, const EncoderShape& shape, bool has_cell);

  /// One state per decoder layer. `nothing`: what a layer begins with by itself, B rows.
  [[nodiscard]] std::vector<nn::CellState> forward(const EncoderOutput& encoded,
                                                   const nn::CellState& nothing) const;

 private:
  [[nodiscard]] nn::CellState source(const EncoderOutput& encoded) const;

  BridgeKind kind_;
  int64_t layers_;
  bool has_cell_;
  std::vector<std::shared_ptr<nn::Linear>> to_hidden_;
  std::vector<std::shared_ptr<nn::Linear>> to_cell_;
};

}  // namespace attend::model
