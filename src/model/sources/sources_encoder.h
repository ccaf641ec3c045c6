#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/sources/coattention.h"

namespace attend::model {

/// Several sources, each read by an encoder of its own or all by one
/// (`model.sources.share_encoder`). Two memories: the positions of all sources, one source after
/// the other, of which `columns` of the second has each source's; and the sources as a whole, one
/// position [B, 1, K * C] with their means side by side, and their last states side by side as its
/// summary. A coattention between two of them changes what both are made of.
class SourcesEncoder final : public Encoder {
 public:
  /// `encoders`: one for each source, or one. Each gives one memory of the same size.
  /// `coattention`: null for none; else for two sources of positions of that size.
  SourcesEncoder(int64_t sources, std::vector<std::shared_ptr<Encoder>> encoders,
                 std::shared_ptr<Coattention> coattention = nullptr);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  /// That of the coattention; a position looks at those of both sources.
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  [[nodiscard]] bool drops_embeddings() const override;
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

 private:
  [[nodiscard]] const Encoder& reader(std::size_t side) const;
  [[nodiscard]] Coattended read(const nn::IndexedRows& embedded, const SourceSides& sides) const;
  /// Both memories.
  [[nodiscard]] static std::vector<EncoderOutput> joined(const std::vector<EncoderOutput>& sources,
                                                         const SourceSides& sides,
                                                         const data::SentenceBatch& source);

  int64_t sources_;
  std::vector<std::shared_ptr<Encoder>> encoders_;
  std::shared_ptr<Coattention> coattention_;  // null: none
};

}  // namespace attend::model
