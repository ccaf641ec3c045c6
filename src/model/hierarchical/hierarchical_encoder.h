#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/hierarchical/segment_layout.h"
#include "model/options.h"
#include "model/recurrent/recurrent_encoder.h"
#include "nn/attention/pooling.h"

namespace attend::model {

/// Encodes words in segments of a line (Yang et al. 2016, "Hierarchical Attention Networks for
/// Document Classification", Sec. 2.2). Recurrent layers read each segment i separately and give
/// states h_it. Attention with a learned query pools these into one vector s_i. Recurrent layers
/// over all s_i give d_i. SegmentLayout defines the segments.
///
/// There are two memories, so that a decoder can attend to segments and to the words in them. The
/// first has h_it + d_i for each position. The second has d_i for each segment, and the summary. A
/// sum over the first memory, weighted by the product of both weights, thus contains the contexts
/// of both levels.
class HierarchicalEncoder final : public Encoder {
 public:
  /// Throws ConfigError if the separator is unknown.
  HierarchicalEncoder(const HierarchicalEncoderOptions& options, const ModelOptions& model);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  /// The trace has one layer, in which a position attends to its segment with the weights of the
  /// pooling.
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  [[nodiscard]] LayerHeads self_attention_heads() const override { return {1}; }
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;
  [[nodiscard]] std::vector<std::string> plain_reasons() const override;

 private:
  struct Read {
    std::vector<EncoderOutput> outputs;
    torch::Tensor weights;  // [P, L] weights of the pooling
  };
  /// The states h_it of all segments, [P, L, C].
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
