#include "model/recurrent/recurrent_decoder.h"

#include <fmt/format.h>

#include <stdexcept>

#include "core/error.h"
#include "model/recurrent/fused_decoding.h"
#include "model/recurrent/wiring_registry.h"
#include "nn/execution.h"
#include "nn/row_cache.h"

namespace attend::model {
namespace {

const EncoderShape& single(const ModelOptions& options, const std::vector<EncoderShape>& shapes) {
  if (shapes.size() == 1) return shapes.front();
  throw ConfigError(
      fmt::format("model.decoder.type: {} reads one memory, but the encoder (model.encoder.type: "
                  "{}) gives {}; choose another decoder or encoder",
                  options.decoder.type, options.encoder.type, shapes.size()));
}

const nn::PreparedMemory& single(const Memories& memories) {
  if (memories.size() != 1) throw std::logic_error("a recurrent decoder reads one memory");
  return memories.front();
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(const ModelOptions& options,
                                   const std::vector<EncoderShape>& shapes)
    : RecurrentDecoder(options, single(options, shapes),
                       make_wiring(options, single(options, shapes).size)) {}

RecurrentDecoder::RecurrentDecoder(const ModelOptions& options, const EncoderShape& shape,
                                   std::shared_ptr<Wiring> wiring)
    : wiring_(std::move(wiring)),
      bridge_(std::make_shared<Bridge>(options.decoder, shape, wiring_->lowest().has_cell())) {}

std::vector<Decoder::NamedModule> RecurrentDecoder::modules() const {
  return {{"bridge", bridge_}, {"decoder", wiring_}};
}

Encoded RecurrentDecoder::start(const std::vector<EncoderOutput>& sources) const {
  if (sources.size() != 1) throw std::logic_error("a recurrent decoder reads one source");
  const EncoderOutput& source = sources.front();
  const nn::PreparedMemory memory =
      wiring_->prepare({source.outputs, source.outputs, source.mask, source.lengths});
  return {{memory}, DecoderState(wiring_->start(memory, bridge_->forward(source)))};
}

bool RecurrentDecoder::runs_fused(const torch::Tensor& like) const {
  return nn::is_fusible(like) && wiring_->plain_reasons().empty();
}

Decoded RecurrentDecoder::decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                 const Encoded& encoded) const {
  const nn::PreparedMemory& memory = single(encoded.memories);
  const auto& start = encoded.start.as<RecurrentState>();
  return runs_fused(embedded.rows) ? decode_fused(*wiring_, embedded, lengths, memory, start)
                                   : wiring_->decode(embedded.all(), memory, start);
}

DecodedStep RecurrentDecoder::step(const torch::Tensor& tokens, const nn::Embedding& embedding,
                                   const Memories& memories, const DecoderState& state) const {
  const nn::PreparedMemory& memory = single(memories);
  const auto& before = state.as<RecurrentState>();
  const torch::Tensor embedded = embedding.forward(tokens);  // [N, E]
  const LayerMasks masks = wiring_->draw_masks(tokens.size(0), embedded);
  const torch::Tensor projected = project(tokens, embedded, embedding);
  Advanced advanced = runs_fused(embedded)
                          ? advance_fused(*wiring_, projected, memory, before, masks)
                          : wiring_->advance(projected, memory, before, masks);
  return {wiring_->readout(embedded, advanced.hidden, advanced.context), advanced.weights,
          advanced.heads, DecoderState(std::move(advanced.state))};
}

torch::Tensor RecurrentDecoder::project(const torch::Tensor& tokens, const torch::Tensor& embedded,
                                        const nn::Embedding& embedding) const {
  nn::RowCache* const known = nn::execution().words;
  const nn::RnnCell& cell = wiring_->lowest();
  if (known == nullptr || torch::GradMode::is_enabled() || !nn::is_fusible(embedded)) {
    return cell.project(embedded);
  }
  return known->rows(
      tokens, [&](const torch::Tensor& words) { return cell.project(embedding.forward(words)); });
}

bool RecurrentDecoder::is_pointwise() const {
  return attends() && wiring_->attention()->is_pointwise();
}

std::vector<std::string> RecurrentDecoder::plain_reasons() const {
  return wiring_->plain_reasons();
}

}  // namespace attend::model
