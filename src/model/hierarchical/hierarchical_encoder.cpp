#include "model/hierarchical/hierarchical_encoder.h"

#include "core/error.h"
#include "nn/drawing.h"
#include "nn/shape.h"

namespace attend::model {

std::shared_ptr<Encoder> make_encoder(const HierarchicalEncoderOptions& encoder,
                                      const ModelOptions& model) {
  return std::make_shared<HierarchicalEncoder>(encoder, model);
}

HierarchicalEncoder::HierarchicalEncoder(const HierarchicalEncoderOptions& options,
                                         const ModelOptions& model)
    : marks_{options.separator, options.blank} {
  if (marks_.separator < 0) {
    throw ConfigError(
        "model.encoder.type: hierarchical reads segments; set their separator "
        "(data.segments.separator)");
  }
  RecurrentEncoderOptions reader;
  static_cast<ReadingLayers&>(reader) = options;
  const auto layers = [&](int64_t input_size) {
    return std::make_shared<RecurrentEncoder>(reader, model.dropout, input_size);
  };
  words_ = register_module("words", layers(model.embedding));
  pooling_ =
      register_module("pooling", std::make_shared<nn::AttentionPooling>(words_->output_size()));
  segments_ = register_module("segments", layers(words_->output_size()));
}

std::vector<EncoderShape> HierarchicalEncoder::shapes() const {
  const int64_t size = words_->output_size();
  return {{size}, {size, /*has_summary=*/true, /*groups=*/true}};
}

std::vector<std::string> HierarchicalEncoder::plain_reasons() const {
  return words_->plain_reasons();
}

std::vector<EncoderOutput> HierarchicalEncoder::encode(const nn::IndexedRows& embedded,
                                                       const data::SentenceBatch& source) const {
  return read(embedded, source, SegmentLayout(source, marks_)).outputs;
}

TracedEncoding HierarchicalEncoder::trace(const nn::IndexedRows& embedded,
                                          const data::SentenceBatch& source) const {
  const SegmentLayout layout(source, marks_);
  Read result = read(embedded, source, layout);
  const torch::Tensor weights = layout.by_position(result.weights.unsqueeze(2));  // [B, S, 1]
  const torch::Tensor together = layout.group.unsqueeze(2).eq(layout.group.unsqueeze(1));
  return {std::move(result.outputs), {(together * weights.transpose(1, 2)).unsqueeze(1)}};
}

torch::Tensor HierarchicalEncoder::read_words(const nn::IndexedRows& embedded,
                                              const SegmentLayout& layout) const {
  const nn::LinesScope lines(nn::LinesScope::renamed(layout.group.size(0)));
  const nn::LinesScope segments(nn::LinesScope::repeated(layout.owner.to(torch::kCPU)));
  return words_->forward(layout.by_segment(embedded), layout.lengths, layout.mask).outputs;
}

HierarchicalEncoder::Read HierarchicalEncoder::read(const nn::IndexedRows& embedded,
                                                    const data::SentenceBatch& source,
                                                    const SegmentLayout& layout) const {
  nn::check_shape(embedded.sizes(), {source.ids.size(0), source.ids.size(1), nn::kAny},
                  "Encoder embedded");
  const torch::Tensor words = read_words(embedded, layout);
  const nn::AttentionPooling::Pooled pooled = pooling_->forward(words, layout.mask);
  EncoderOutput segments =
      segments_->forward(layout.by_line(pooled.vectors), layout.counts, layout.there);
  segments.columns = layout.columns;
  const torch::Tensor placed = words + layout.of_segments(segments.outputs).unsqueeze(1);
  return {{{layout.by_position(placed), source.lengths_there(), layout.group.ge(0)},
           std::move(segments)},
          pooled.weights};
}

}  // namespace attend::model
