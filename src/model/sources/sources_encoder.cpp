#include "model/sources/sources_encoder.h"

#include <fmt/format.h>

#include "model/sources/source_sides.h"

namespace attend::model {
namespace {

/// The top layer's last states side by side; none where one has none.
std::vector<nn::CellState> last_states(const std::vector<EncoderOutput>& sources) {
  std::vector<torch::Tensor> hidden, cells;
  for (const EncoderOutput& source : sources) {
    if (source.summary.empty()) return {};
    const nn::CellState& top = source.summary.back();
    hidden.push_back(top.hidden);
    if (top.has_vector()) cells.push_back(top.cell);  // a memory is handed over to nobody
  }
  const bool all = cells.size() == hidden.size();
  return {{at::cat(hidden, 1), all ? at::cat(cells, 1) : torch::Tensor()}};
}

}  // namespace

SourcesEncoder::SourcesEncoder(int64_t sources, std::vector<std::shared_ptr<Encoder>> encoders)
    : sources_(sources) {
  for (std::size_t k = 0; k < encoders.size(); ++k) {
    const std::string name = encoders.size() == 1 ? "each" : fmt::format("source{}", k + 1);
    encoders_.push_back(register_module(name, std::move(encoders[k])));
  }
}

const Encoder& SourcesEncoder::reader(std::size_t side) const {
  return *encoders_[encoders_.size() == 1 ? 0 : side];
}

bool SourcesEncoder::drops_embeddings() const {
  return encoders_.front()->drops_embeddings();
}

std::vector<EncoderShape> SourcesEncoder::shapes() const {
  const EncoderShape one = encoders_.front()->shapes().front();
  EncoderShape positions{one.size};
  positions.sources = sources_;
  return {positions, {sources_ * one.size, one.has_summary}};
}

std::vector<std::string> SourcesEncoder::plain_reasons() const {
  return encoders_.front()->plain_reasons();
}

std::vector<EncoderOutput> SourcesEncoder::encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const {
  const SourceSides sides(source, sources_);
  std::vector<EncoderOutput> read;
  std::vector<torch::Tensor> outputs, means;
  for (std::size_t k = 0; k < sides.count(); ++k) {
    read.push_back(reader(k).encode(sides.of_side(embedded, k), sides.side(k)).front());
    outputs.push_back(read.back().outputs);
    means.push_back(read.back().mean());
  }
  const torch::Tensor lengths = source.lengths.to(source.ids.device());
  EncoderOutput whole{at::cat(means, 1).unsqueeze(1), torch::ones_like(lengths),
                      torch::ones_like(source.mask.narrow(1, 0, 1)), last_states(read)};
  whole.columns = sides.columns();
  return {{sides.joined(outputs), lengths, source.mask}, std::move(whole)};
}

}  // namespace attend::model
