#include "model/recurrent/recurrent_decoder.h"

#include <stdexcept>

#include "model/recurrent/fused_wiring.h"
#include "model/recurrent/wiring_registry.h"
#include "model/single_source.h"
#include "nn/execution.h"
#include "nn/row_cache.h"

namespace attend::model {
namespace {

/// True if the second memory holds groups of the first one's positions, or its sources as a whole.
bool is_grouped(const std::vector<EncoderShape>& shapes) {
  return shapes.size() == 2 && (shapes.back().groups || shapes.front().sources > 1);
}

/// The shape that the bridge reads: the groups, the sources as a whole, or the only memory.
const EncoderShape& whole(const ModelOptions& options, const std::vector<EncoderShape>& shapes) {
  return is_grouped(shapes) ? shapes.back() : single_shape(options, shapes);
}

std::shared_ptr<Wiring> wiring_for(const ModelOptions& options,
                                   const std::vector<EncoderShape>& shapes) {
  if (!is_grouped(shapes)) return make_wiring(options, single_shape(options, shapes).size);
  const EncoderShape &positions = shapes.front(), &groups = shapes.back();
  return make_wiring(
      options, positions.size,
      {groups.groups ? groups.size : 0, positions.sources, options.sources.combination});
}

nn::Memory memory_of(const std::vector<EncoderOutput>& sources) {
  const EncoderOutput& source = sources.front();
  nn::Memory memory{source.outputs, source.outputs, source.mask, source.lengths};
  if (sources.size() == 1) return memory;
  memory.columns = sources.back().columns;
  memory.group_keys = sources.back().outputs;
  return memory;
}

const nn::PreparedMemory& single(const Memories& memories) {
  if (memories.size() != 1) throw std::logic_error("a recurrent decoder reads one memory");
  return memories.front();
}

/// The results of a loop, taken one after another.
class Results {
 public:
  explicit Results(std::vector<torch::Tensor> all) : all_(std::move(all)) {}
  /// The next result, or an undefined tensor if it was not requested.
  [[nodiscard]] torch::Tensor take(bool wanted) { return wanted ? all_[next_++] : torch::Tensor(); }

 private:
  std::vector<torch::Tensor> all_;
  std::size_t next_ = 0;
};

/// Splits concatenated weights of all heads [..., heads * S] into [..., heads, S] and their mean
/// [..., S]. With one head there is only the mean.
struct WeightsOfHeads {
  torch::Tensor mean, heads;
};
WeightsOfHeads by_head(const Wiring& wiring, const torch::Tensor& weights) {
  const int64_t count = wiring.attention() == nullptr ? 1 : wiring.attention()->head_count();
  if (!weights.defined() || count == 1) return {weights, {}};
  const torch::Tensor heads = weights.unflatten(-1, {count, weights.size(-1) / count});
  return {heads.mean(-2), heads};
}

/// Wiring::advance() as a loop of one step. Requires: plain_reasons() is empty, and all tensors are
/// nn::runs_in_loop().
WiringStep advance_fused(const Wiring& wiring, const torch::Tensor& projected,
                         const nn::PreparedMemory& memory, const RecurrentState& state,
                         const LayerMasks& masks) {
  nn::fused::Loop loop(nn::fused::Packing(projected.size(0)), projected);
  const LoopWiringStep advanced =
      wiring.fused()->unroll(loop, loop.input(projected), memory, state, masks);
  std::vector<nn::fused::LoopResult> wanted{{advanced.hidden}};
  const auto want = [&wanted](const std::optional<nn::fused::LoopValue>& value) {
    if (value) wanted.push_back({*value});
  };
  want(advanced.context);
  want(advanced.weights);
  const bool has_cell = wiring.lowest().has_cell();
  for (const nn::LoopState& layer : advanced.layers) {
    wanted.push_back({layer.hidden});
    if (has_cell) wanted.push_back({layer.cell});
  }
  want(advanced.feed);

  Results results(loop.run(wanted));
  WiringStep result;
  result.hidden = results.take(true);
  result.context = results.take(advanced.context.has_value());
  const WeightsOfHeads weights = by_head(wiring, results.take(advanced.weights.has_value()));
  result.weights = weights.mean;
  result.heads = weights.heads;
  for (std::size_t i = 0; i < advanced.layers.size(); ++i) {
    const torch::Tensor hidden = results.take(true);
    result.state.layers.push_back({hidden, results.take(has_cell)});
  }
  result.state.feed = results.take(advanced.feed.has_value());
  if (const nn::Attention* const attention = wiring.attention()) {
    result.state.attention =
        attention->next(state.attention, result.heads.defined() ? result.heads : result.weights);
  }
  result.state.position = state.position + 1;
  return result;
}

/// Wiring::decode() as one loop, with the requirements of advance_fused(). `lengths` [B] int64 on
/// the CPU: real positions of `embedded`.
Decoded decode_fused(const Wiring& wiring, const nn::IndexedRows& embedded,
                     const torch::Tensor& lengths, const nn::PreparedMemory& memory,
                     const RecurrentState& start) {
  const nn::fused::Packing packing(lengths.cpu(), embedded.sizes()[1], embedded.rows.device());
  LayerMasks masks = wiring.draw_masks(packing.sequences(), embedded.rows);
  for (torch::Tensor& mask : masks) {
    if (mask.defined()) mask = mask.index_select(0, packing.order());
  }
  nn::fused::Loop loop(packing, embedded.rows);
  const nn::fused::LoopValue projected =
      wiring.lowest().project(loop, packing.pack(embedded, nn::fused::ReadingDirection::forward));
  const LoopWiringStep advanced =
      wiring.fused()->unroll(loop, projected, memory.with_owners().select(packing.order()),
                             start.reorder(packing.order()), masks);
  std::vector<nn::fused::LoopResult> wanted{{advanced.hidden}};
  if (advanced.context) wanted.push_back({*advanced.context});
  if (advanced.weights) wanted.push_back({*advanced.weights});

  Results results(loop.run(wanted));
  const auto take = [&](bool has_results) {
    return has_results ? packing.unpack({{results.take(true)}}) : torch::Tensor();
  };
  const torch::Tensor hidden = take(true), context = take(advanced.context.has_value());
  const WeightsOfHeads weights = by_head(wiring, take(advanced.weights.has_value()));
  return {wiring.readout(embedded, hidden, context),
          weights.mean,
          weights.heads.defined() ? weights.heads.transpose(1, 2) : weights.heads,
          {}};
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(const ModelOptions& options,
                                   const std::vector<EncoderShape>& shapes)
    : RecurrentDecoder(options, whole(options, shapes), wiring_for(options, shapes)) {}

RecurrentDecoder::RecurrentDecoder(const ModelOptions& options, const EncoderShape& shape,
                                   std::shared_ptr<Wiring> wiring)
    : layers_(recurrent_decoder(options).layers),
      wiring_(std::move(wiring)),
      bridge_(std::make_shared<Bridge>(
          recurrent_decoder(options), shape,
          wiring_->lowest().has_cell() && !wiring_->lowest().has_memory())) {}

std::vector<Decoder::NamedModule> RecurrentDecoder::modules() const {
  return {{"bridge", bridge_}, {"decoder", wiring_}};
}

Encoded RecurrentDecoder::start(const std::vector<EncoderOutput>& sources) const {
  const bool levels = sources.size() == 2 && sources.back().columns.defined();
  if (sources.size() != 1 && !levels) {
    throw std::logic_error("a recurrent decoder reads one source");
  }
  const EncoderOutput& source = sources.back();
  const nn::PreparedMemory memory = wiring_->prepare(memory_of(sources));
  const nn::CellState nothing = wiring_->lowest().start(source.outputs.size(0), source.outputs);
  return {{memory}, DecoderState(wiring_->start(memory, bridge_->forward(source, nothing)))};
}

bool RecurrentDecoder::runs_fused(const torch::Tensor& like) const {
  return nn::runs_in_loop(like) && wiring_->plain_reasons().empty();
}

Decoded RecurrentDecoder::decode(const nn::IndexedRows& embedded, const torch::Tensor& lengths,
                                 const Encoded& encoded) const {
  const nn::PreparedMemory& memory = single(encoded.memories);
  const auto& start = encoded.start.as<RecurrentState>();
  return runs_fused(embedded.rows) ? decode_fused(*wiring_, embedded, lengths, memory, start)
                                   : wiring_->decode(embedded.all(), memory, start);
}

TracedDecoding RecurrentDecoder::trace(const nn::IndexedRows& embedded,
                                       const torch::Tensor& lengths, const Encoded& encoded) const {
  if (memory_heads().empty()) return Decoder::trace(embedded, lengths, encoded);
  Wiring::Traced steps =
      wiring_->trace(embedded.all(), single(encoded.memories), encoded.start.as<RecurrentState>());
  TracedDecoding traced = with_attention(std::move(steps.decoded));
  traced.memory = std::move(steps.memory);
  return traced;
}

DecodedStep RecurrentDecoder::step(const torch::Tensor& tokens, const nn::Embedding& embedding,
                                   const Memories& memories, const DecoderState& state) const {
  const nn::PreparedMemory& memory = single(memories);
  const auto& before = state.as<RecurrentState>();
  const torch::Tensor embedded = embedding.forward(tokens);  // [N, E]
  const LayerMasks masks = wiring_->draw_masks(tokens.size(0), embedded);
  const torch::Tensor projected = project(tokens, embedded, embedding);
  WiringStep advanced = runs_fused(embedded)
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

LayerHeads RecurrentDecoder::cross_attention_heads() const {
  return attends() ? LayerHeads{wiring_->attention()->head_count()} : LayerHeads();
}

LayerHeads RecurrentDecoder::memory_heads() const {
  const nn::RnnCell& cell = wiring_->lowest();
  if (!cell.has_memory()) return {};
  return LayerHeads(static_cast<std::size_t>(layers_), cell.head_count());
}

bool RecurrentDecoder::is_pointwise() const {
  return attends() && wiring_->attention()->is_pointwise();
}

std::vector<std::string> RecurrentDecoder::plain_reasons() const {
  return wiring_->plain_reasons();
}

std::shared_ptr<Decoder> make_decoder(const RecurrentDecoderOptions&, const ModelOptions& model,
                                      const std::vector<EncoderShape>& shapes) {
  return std::make_shared<RecurrentDecoder>(model, shapes);
}

}  // namespace attend::model
