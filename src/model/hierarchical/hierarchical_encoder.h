#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/hierarchical/segment_layout.h"
#include "model/options.h"
#include "model/recurrent/recurrent_encoder.h"
#include "nn/attention/pooling.h"

namespace attend::model {

/// Words in segments in a line (Yang et al. 2016, "Hierarchical Attention Networks for Document
/// Classification", Sec. 2.2). Recurrent layers read each segment by itself, h_it; an attention
/// with a learned query makes one vector s_i of it; recurrent layers over these give d_i.
/// SegmentLayout says what a segment is.
///
/// Two memories, for a decoder that attends to segments and, inside them, to words: of each
/// position h_it + d_i, and of each segment d_i, which also has the summary. So the weighted sum of
/// the first, with the product of both weights, has the context of both levels.
class HierarchicalEncoder final : public Encoder {
 public:
  /// Throws ConfigError if no separator is known.
  HierarchicalEncoder(const HierarchicalEncoderOptions& options, const ModelOptions& model);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  /// One layer: a position looks at those of its segment, as the pooling weighs them.
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  [[nodiscard]] LayerHeads self_attention_heads() const override { return {1}; }
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

 private:
  struct Read {
    std::vector<EncoderOutput> outputs;
    torch::Tensor weights;  // [P, L] of the pooling
  };
  /// [P, L, C] of all segments.
  [[nodiscard]] torch::Tensor read_words(const nn::IndexedRows& embedded,
                                         const SegmentLayout& layout) const;
  [[nodiscard]] Read read(const nn::IndexedRows& embedded, const data::SentenceBatch& source,
                          const SegmentLayout& layout) const;

  SegmentMarks marks_;
  std::shared_ptr<RecurrentEncoder> words_;
  std::shared_ptr<nn::AttentionPooling> pooling_;
  std::shared_ptr<RecurrentEncoder> segments_;
};

}  // namespace attend::model
