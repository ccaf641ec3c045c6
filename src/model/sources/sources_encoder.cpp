#include "model/sources/sources_encoder.h"

#include <fmt/format.h>

namespace attend::model {
namespace {

/// Concatenates the last states of the top layers; empty if a source has none.
std::vector<nn::CellState> last_states(const std::vector<EncoderOutput>& sources) {
  std::vector<torch::Tensor> hidden, cells;
  for (const EncoderOutput& source : sources) {
    if (source.summary.empty()) return {};
    const nn::CellState& top = source.summary.back();
    hidden.push_back(top.hidden);
    if (top.has_vector()) cells.push_back(top.cell);  // a memory is not passed on
  }
  const bool all = cells.size() == hidden.size();
  return {{at::cat(hidden, 1), all ? at::cat(cells, 1) : torch::Tensor()}};
}

}  // namespace

SourcesEncoder::SourcesEncoder(int64_t sources, std::vector<std::shared_ptr<Encoder>> encoders,
                               std::shared_ptr<Coattention> coattention)
    : sources_(sources) {
  for (std::size_t k = 0; k < encoders.size(); ++k) {
    const std::string name = encoders.size() == 1 ? "each" : fmt::format("source{}", k + 1);
    encoders_.push_back(register_module(name, std::move(encoders[k])));
  }
  if (coattention) coattention_ = register_module("coattention", std::move(coattention));
}

const Encoder& SourcesEncoder::reader(std::size_t side) const {
  return *encoders_[encoders_.size() == 1 ? 0 : side];
}

bool SourcesEncoder::drops_embeddings() const {
  return encoders_.front()->drops_embeddings();
}

std::vector<EncoderShape> SourcesEncoder::shapes() const {
  EncoderShape one = encoders_.front()->shapes().front();
  if (coattention_) one = {coattention_->output_size(), /*has_summary=*/true};
  EncoderShape positions{one.size};
  positions.sources = sources_;
  return {positions, {sources_ * one.size, one.has_summary}};
}

std::vector<std::string> SourcesEncoder::plain_reasons() const {
  return encoders_.front()->plain_reasons();
}

LayerHeads SourcesEncoder::self_attention_heads() const {
  return LayerHeads(coattention_ ? coattention_->layers() : 0, 1);
}

Coattended SourcesEncoder::read(const nn::IndexedRows& embedded, const SourceSides& sides) const {
  std::vector<EncoderOutput> sources;
  for (std::size_t k = 0; k < sides.count(); ++k) {
    sources.push_back(reader(k).encode(sides.of_side(embedded, k), sides.side(k)).front());
  }
  if (!coattention_) return {std::move(sources), {}};
  return coattention_->forward(sources.front(), sources.back());
}

std::vector<EncoderOutput> SourcesEncoder::joined(const std::vector<EncoderOutput>& sources,
                                                  const SourceSides& sides,
                                                  const data::SentenceBatch& source) {
  std::vector<torch::Tensor> outputs, means;
  for (const EncoderOutput& one : sources) {
    outputs.push_back(one.outputs);
    means.push_back(one.mean());
  }
  const torch::Tensor lengths = source.lengths_there();
  EncoderOutput whole{at::cat(means, 1).unsqueeze(1), torch::ones_like(lengths),
                      torch::ones_like(source.mask.narrow(1, 0, 1)), last_states(sources)};
  whole.columns = sides.columns();
  return {{sides.joined(outputs), lengths, source.mask}, std::move(whole)};
}

std::vector<EncoderOutput> SourcesEncoder::encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const {
  const SourceSides sides(source, sources_);
  return joined(read(embedded, sides).sources, sides, source);
}

TracedEncoding SourcesEncoder::trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const {
  const SourceSides sides(source, sources_);
  const Coattended result = read(embedded, sides);
  TracedEncoding traced{joined(result.sources, sides, source), {}};
  for (const SideTable& look : result.looks) traced.self.push_back(sides.joined(look).unsqueeze(1));
  return traced;
}

}  // namespace attend::model
