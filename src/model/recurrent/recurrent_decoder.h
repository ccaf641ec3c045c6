#pragma once
#include <memory>
#include <vector>

#include "model/decoder.h"
#include "model/options.h"
#include "model/recurrent/bridge.h"
#include "model/recurrent/wiring.h"

namespace attend::model {

/// Consists of a Bridge, which makes the first states, and a Wiring of cells and attention. Reads
/// one memory or two. The second holds either the groups of the first one's positions, for
/// attention on two levels, or the sources of the first one as a whole.
class RecurrentDecoder final : public Decoder {
 public:
  /// Throws ConfigError if the decoder cannot read memories of `shapes`, if their sizes do not suit
  /// the attention, or if they lack the summary that the bridge reads (if there are groups, the
  /// summary of the groups).
  RecurrentDecoder(const ModelOptions& options, const std::vector<EncoderShape>& shapes);
  /// Uses a given wiring, whose attention reads memories of `shape`.
  RecurrentDecoder(const ModelOptions& options, const EncoderShape& shape,
                   std::shared_ptr<Wiring> wiring);

  /// The bridge as "bridge" and the wiring as "decoder".
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
  [[nodiscard]] bool decodes_in_loop() const override { return true; }

 private:
  [[nodiscard]] bool runs_fused(const torch::Tensor& like) const;
  /// The lowest cell's projection of the words, from the cache of projections if there is one.
  [[nodiscard]] torch::Tensor project(const torch::Tensor& tokens, const torch::Tensor& embedded,
                                      const nn::Embedding& embedding) const;

  int64_t layers_;
  std::shared_ptr<Wiring> wiring_;
  std::shared_ptr<Bridge> bridge_;
};

}  // namespace attend::model
