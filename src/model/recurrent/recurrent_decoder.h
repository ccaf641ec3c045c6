#pragma once
#include <memory>
#include <vector>

#include "model/decoder.h"
#include "model/options.h"
#include "model/recurrent/bridge.h"
#include "model/recurrent/wiring.h"

namespace attend::model {

/// A Bridge from the source to first states, and a Wiring of cells and attention that goes on from
/// there. Reads one memory; one and groups of its positions, to which it attends on two levels; or
/// one of several sources and what they are as a whole.
class RecurrentDecoder final : public Decoder {
 public:
  /// Throws ConfigError unless the encoder gives such, with a summary (of the groups) where the
  /// bridge reads that, of a size that suits the attention.
  RecurrentDecoder(const ModelOptions& options, const std::vector<EncoderShape>& shapes);
  /// With a wiring that is made already, whose attention reads memories of that shape.
  RecurrentDecoder(const ModelOptions& options, const EncoderShape& shape,
                   std::shared_ptr<Wiring> wiring);

  /// "bridge" and, for the wiring, "decoder".
  [[nodiscard]] std::vector<NamedModule> modules() const override;
  [[nodiscard]] int64_t output_size() const override { return wiring_->output_size(); }
  [[nodiscard]] Encoded start(const std::vector<EncoderOutput>& sources) const override;
  [[nodiscard]] Decoded decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                               const Encoded& encoded) const override;
  [[nodiscard]] TracedDecoding trace(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                     const Encoded& encoded) const override;
  [[nodiscard]] DecodedStep step(const torch::Tensor& tokens, const nn::Embedding& embedding,
                                 const Memories& memories,
                                 const DecoderState& state) const override;

  [[nodiscard]] bool attends() const override { return wiring_->attention() != nullptr; }
  [[nodiscard]] LayerHeads cross_attention_heads() const override;
  [[nodiscard]] LayerHeads memory_heads() const override;
  [[nodiscard]] bool is_pointwise() const override;
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

 private:
  [[nodiscard]] bool runs_fused(const torch::Tensor& like) const;
  /// What the lowest cell makes of the words, out of the cache for them if there is one.
  [[nodiscard]] torch::Tensor project(const torch::Tensor& tokens, const torch::Tensor& embedded,
                                      const nn::Embedding& embedding) const;

  int64_t layers_;
  std::shared_ptr<Wiring> wiring_;
  std::shared_ptr<Bridge> bridge_;
};

}  // namespace attend::model
