#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "nn/linear.h"

namespace attend::model {

/// Makes the first states of the decoder:
///   zero: zeros;   copy: the encoder's last states, layer by layer (Sutskever et al. 2014);
///   last: h = tanh(W s + b) for the last state s of the top layer (after Bahdanau et al. 2015,
///         App. A.2.2, which reads the backward direction only);
///   mean: h = tanh(W s + b) for the mean output s (as in Nematus, Sennrich et al. 2017, Sec. 2.1).
/// The cell state of an LSTM is W' s' + b'. With `last`, s' is the top layer's last cell state, or
/// its hidden state if the cell state is missing (GRU) or is not a vector. With `mean`, s' is the
/// mean output. Only `copy` passes on a memory; otherwise the memory starts empty.
class Bridge : public torch::nn::Module {
 public:
  /// `has_cell`: true if the decoder's states have a cell state like the hidden state. Throws
  /// ConfigError if the kind reads the encoder's last states and the encoder has no summary.
  Bridge(const RecurrentDecoderOptions& options, const EncoderShape& shape, bool has_cell);

  /// Returns one state per decoder layer. `nothing`: a layer's default first state, with B rows.
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
