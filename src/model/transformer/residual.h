#pragma once
#include <memory>
#include <utility>

#include "model/transformer/attention_sum.h"
#include "model/transformer/layer_options.h"
#include "nn/dropout.h"
#include "nn/layer_norm.h"

namespace attend::model {

/// The values between two parts of a stack: x [..., C] and the output of the last part, which is
/// not yet added to x. The layer normalisation that follows adds it in the same pass.
struct Stream {
  Stream(torch::Tensor the_x) : x(std::move(the_x)) {}  // NOLINT: implicit
  Stream(torch::Tensor the_x, torch::Tensor the_part, nn::DropoutMask the_mask)
      : x(std::move(the_x)), part(std::move(the_part)), mask(the_mask) {}

  /// x plus the part, with dropout on the part.
  [[nodiscard]] torch::Tensor value() const {
    return part.defined() ? x + nn::dropout(part, mask) : x;
  }

  torch::Tensor x;
  torch::Tensor part;    // undefined: nothing to add
  nn::DropoutMask mask;  // dropout mask of the part
};

/// Wraps each part f of a transformer layer, with layer normalisation
///   after it ("post"):  LN(x + dropout(f(x)))   (Vaswani et al. 2017, Sec. 3.1), or
///   before it ("pre"):  x + dropout(f(LN(x)))   (Xiong et al. 2020, arXiv 2002.04745).
class Residual {
 public:
  /// `norm` is also registered elsewhere; its training mode switches dropout on.
  Residual(std::shared_ptr<nn::LayerNorm> norm, bool norm_first, double dropout)
      : norm_(std::move(norm)), norm_first_(norm_first), dropout_(dropout) {}

  /// `part`: [..., C] -> [..., C].
  template <class Part>
  [[nodiscard]] Stream around(const Stream& stream, const Part& part) const {
    if (!norm_first_) {
      const torch::Tensor x = stream.value();
      return after(x, part(x));
    }
    const nn::fused::AddedNorm added = norm_->added(stream.x, stream.part, stream.mask);
    return later(added.sum, part(added.norm));
  }

  /// The input that around() gives to the part, for a stream of the value x.
  [[nodiscard]] torch::Tensor read(const torch::Tensor& x) const {
    return norm_first_ ? norm_->forward(x) : x;
  }
  /// around() for an attention with `weights` [N, heads, T, S], without dropout, as a sum.
  [[nodiscard]] AttentionSum sum(const torch::Tensor& x, const torch::Tensor& weights,
                                 nn::AddedVectors added) const {
    return {{x, weights, std::move(added)}, norm_first_ ? nullptr : norm_};
  }

 private:
  [[nodiscard]] nn::DropoutMask mask() const {
    return nn::DropoutMask::drawn(dropout_, norm_->is_training());
  }
  [[nodiscard]] torch::Tensor dropped(const torch::Tensor& x) const {
    return nn::dropout(x, dropout_, norm_->is_training());
  }

  [[nodiscard]] Stream after(const torch::Tensor& x, const torch::Tensor& answer) const {
    if (nn::counts_out_masks(x)) return norm_->added(x, answer, mask()).norm;
    return norm_->forward(x + dropped(answer));
  }
  [[nodiscard]] Stream later(const torch::Tensor& x, const torch::Tensor& answer) const {
    if (nn::counts_out_masks(x)) return {x, answer, mask()};
    return x + dropped(answer);
  }

  std::shared_ptr<nn::LayerNorm> norm_;
  bool norm_first_;
  double dropout_;
};

/// A Residual around a part of `layer`, with a normalisation registered in `layer` as `name`.
[[nodiscard]] inline Residual add_residual(torch::nn::Module& layer, const char* name,
                                           const LayerOptions& options) {
  return {layer.register_module(name, std::make_shared<nn::LayerNorm>(options.size)),
          options.norm_first, options.dropout.layer};
}

/// Output of a stack: normalised by `norm`, or unchanged if it is null.
[[nodiscard]] inline torch::Tensor top_of(const Stream& stream, const nn::LayerNorm* norm) {
  return norm != nullptr ? norm->added(stream.x, stream.part, stream.mask).norm : stream.value();
}

}  // namespace attend::model
