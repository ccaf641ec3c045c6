#pragma once
#include <memory>

#include "model/options.h"
#include "nn/embedding.h"
#include "nn/linear.h"

namespace attend::model {

/// What the lowest layer of a stack reads: word vectors times sqrt(E) (Vaswani et al. 2017, Sec.
/// 3.4), projected to the width where that is another, and what says where they stand:
///   sinusoidal:  fixed sines and cosines (Sec. 3.5);
///   learned:     a vector for each of the first positions, those behind share the last one
///                (Gehring et al. 2017, arXiv 1705.03122, Sec. 3.1);
///   none, rotary, relative:  nothing here.
/// Dropout is on the sum.
class StackInput : public torch::nn::Module {
 public:
  StackInput(const TransformerOptions& stack, const ModelOptions& model);

  /// embedded [N, T, E], of which the first is at `position` -> [N, T, C].
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& embedded, int64_t position) const;

 private:
  /// [T, C]; undefined: nothing.
  [[nodiscard]] torch::Tensor places(const torch::Tensor& x, int64_t position) const;

  nn::PositionKind positions_;
  double dropout_;
  torch::Tensor sinusoids_;  // [first positions, C] float64; undefined unless they are used
  std::shared_ptr<nn::Linear> projection_;  // null where E = C
  std::shared_ptr<nn::Embedding> learned_;  // null unless they are
};

}  // namespace attend::model
