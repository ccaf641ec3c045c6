#pragma once
#include <memory>

#include "model/options.h"
#include "nn/embedding.h"
#include "nn/linear.h"

namespace attend::model {

/// Input of the lowest layer of a stack: word vectors times sqrt(E) (Vaswani et al. 2017, Sec.
/// 3.4), projected to the stack's width if it differs from E, plus position vectors:
///   sinusoidal:  fixed sines and cosines (Sec. 3.5);
///   learned:     one vector per position, the last one shared by all later positions
///                (Gehring et al. 2017, arXiv 1705.03122, Sec. 3.1);
///   none, rotary, relative:  no vectors.
/// Dropout is applied to the sum.
class StackInput : public torch::nn::Module {
 public:
  StackInput(const TransformerOptions& stack, const ModelOptions& model);

  /// embedded [N, T, E] -> [N, T, C]. The first vector is at `position`.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& embedded, int64_t position) const;

 private:
  /// The position vectors to add to x, [T, C]; undefined if the model uses none.
  [[nodiscard]] torch::Tensor places(const torch::Tensor& x, int64_t position) const;

  nn::PositionKind positions_;
  double dropout_;
  torch::Tensor sinusoids_;  // [first positions, C] float64; undefined unless sinusoidal
  std::shared_ptr<nn::Linear> projection_;  // null if E = C
  std::shared_ptr<nn::Embedding> learned_;  // null unless learned
};

}  // namespace attend::model
