#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/options.h"
#include "model/sources/coattention.h"

namespace attend::model {

/// Encodes several sources, each with its own encoder or all with one
/// (`model.sources.share_encoder`). There are two memories. The first holds the positions of all
/// sources, one source after another; `columns` of the second memory lists the positions of each
/// source. The second holds the sources as a whole: one position [B, 1, K * C] with their
/// concatenated means, and their concatenated last states as its summary. If there is a coattention
/// between two sources, both memories are made from its output.
class SourcesEncoder final : public Encoder {
 public:
  /// `encoders` has one encoder per source, or one for all. Each gives one memory of the same size.
  /// `coattention`: combines two sources whose positions have that size; null: the sources stay
  /// apart.
  SourcesEncoder(int64_t sources, std::vector<std::shared_ptr<Encoder>> encoders,
                 std::shared_ptr<Coattention> coattention = nullptr);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  /// The trace has the weights of the coattention, in which a position attends to both sources.
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
  std::shared_ptr<Coattention> coattention_;  // null if there is none
};

}  // namespace attend::model
