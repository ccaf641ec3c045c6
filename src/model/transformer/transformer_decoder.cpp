#include "model/transformer/transformer_decoder.h"

#include <fmt/format.h>

#include <stdexcept>

#include "model/single_source.h"
#include "model/transformer/layer_drop.h"
#include "model/transformer/recomputed_layer.h"
#include "nn/execution.h"

namespace attend::model {
namespace {

/// Appends a layer's attention to the attention of the layers below.
void add_layer(TracedDecoding& traced, const DecoderLayer::Output& layer) {
  const nn::Attended& cross = layer.attended;
  traced.cross.push_back(cross.heads.defined() ? cross.heads : cross.weights.unsqueeze(1));
  if (layer.self.defined()) traced.self.push_back(layer.self);
}

/// Appends the interactions of the layer that was added last, for its input x.
void add_interactions(TracedDecoding& traced, const DecoderLayer& layer, const Stream& x,
                      const nn::PreparedMemory& memory) {
  DecoderLayer::Interactions of =
      layer.interactions(x, traced.self.back(), traced.cross.back(), memory);
  traced.self_interactions.push_back(std::move(of.self));
  traced.cross_interactions.push_back(std::move(of.cross));
}

/// Ancestor rows for positions x. `now` is set only in search, which adds one position at a time.
Ancestry ancestry_of(const TransformerState& state, const torch::Tensor& x) {
  Ancestry ancestry{state.ancestors, {}};
  const bool is_continued = state.position == 0 || state.ancestors.defined();
  if (x.size(1) != 1 || !nn::is_search(x) || !is_continued) return ancestry;
  const torch::Tensor own = torch::arange(x.size(0), torch::kInt64).unsqueeze(1);
  ancestry.now = state.position == 0 ? own : at::cat({state.ancestors, own}, 1);
  return ancestry;
}

/// Inputs of a layer in addition to the stream.
struct LayerInput {
  const nn::PreparedMemory& memory;
  const DecoderLayerState& state;
  const Ancestry& ancestry;
  int64_t position;
};

/// Runs the layer without returning state and weights; the backward pass recomputes it.
DecoderLayer::Output run_recomputed(const DecoderLayer& layer, const Stream& x,
                                    const LayerInput& input) {
  const auto compute = [&layer, memory = input.memory, state = input.state,
                        ancestry = input.ancestry, position = input.position](
                           const Stream& y, const std::vector<torch::Tensor>& vectors) {
    const DecoderLayer::Output output =
        layer.forward(y, memory.with_vectors(vectors), state, ancestry, position,
                      {nn::AttentionOutputs::context_only, nn::AttentionOutputs::context_only});
    const nn::DrawnPositions& drawn = output.attended.drawn;
    return LayerOutput{output.x, {drawn.log_prob, drawn.entropy}};
  };
  const LayerOutput answer = recomputed_layer(layer, x, input.memory.vectors(), compute);
  DecoderLayer::Output output{answer.x, {}, {}, {}};
  output.attended.drawn = {answer.others[0], answer.others[1]};
  return output;
}

/// Adds the drawn positions of another layer to `sum`.
void add_drawn(nn::DrawnPositions& sum, const nn::DrawnPositions& more) {
  if (!more.log_prob.defined()) return;
  if (!sum.log_prob.defined()) {
    sum = more;
    return;
  }
  sum = {sum.log_prob + more.log_prob, sum.entropy + more.entropy};
}

}  // namespace

class TransformerDecoder::Stack final : public torch::nn::Module {
 public:
  Stack(const StackDecoderOptions& options, const Mixing& mixing, const ModelOptions& model,
        const EncoderShape& shape);

  [[nodiscard]] nn::Memory memory_of(const EncoderOutput& source) const;
  [[nodiscard]] Encoded start(const nn::Memory& memory) const;

  struct StackOutput {
    torch::Tensor outputs;     // [N, T, C]
    nn::Attended shown;        // of the layer whose attention is returned
    nn::DrawnPositions drawn;  // of all layers
    TransformerState state;

    [[nodiscard]] Decoded decoded() const { return {outputs, shown.weights, shown.heads, drawn}; }
  };
  /// Outputs requested in addition to the pre-output states.
  struct Extras {
    bool state = false;                // the state after the last position
    TracedDecoding* traced = nullptr;  // receives the attention of each layer that takes part
    bool interactions = false;         // `traced` receives the interactions, too
  };
  /// embedded [N, T, E]: positions that follow those of `state`.
  [[nodiscard]] StackOutput run_layers(const torch::Tensor& embedded, const Memories& memories,
                                       const TransformerState& state, const Extras& extras) const;

  /// nn::Attention::contributions() of each layer for weights `cross` of all layers.
  [[nodiscard]] LayerMaps contributions(const LayerMaps& cross, const Memories& memories) const {
    LayerMaps all;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      all.push_back(layers_[i]->contributions(cross[i], memories[i]));
    return all;
  }

  [[nodiscard]] std::size_t shown() const { return shown_; }
  [[nodiscard]] std::vector<std::string> plain_reasons() const {
    return layers_.front()->plain_reasons();
  }
  [[nodiscard]] bool has_fused_attention() const { return layers_.front()->has_fused_attention(); }

 private:
  /// Runs layer i. With Execution::recompute the backward pass recomputes it if neither its state
  /// nor its weights are needed.
  [[nodiscard]] DecoderLayer::Output run_layer(std::size_t i, const Stream& x,
                                               const LayerInput& input, const Extras& extras) const;

  double layer_drop_;
  std::size_t shown_;
  std::shared_ptr<StackInput> input_;
  std::shared_ptr<nn::Linear> memory_;  // null if the encoder's vectors have the same size
  std::vector<std::shared_ptr<DecoderLayer>> layers_;
  std::shared_ptr<nn::LayerNorm> norm_;  // null: the layers end in a normalisation
};

TransformerDecoder::Stack::Stack(const StackDecoderOptions& options, const Mixing& mixing,
                                 const ModelOptions& model, const EncoderShape& shape)
    : layer_drop_(options.layer_drop),
      input_(register_module("input", std::make_shared<StackInput>(options, model))) {
  const LayerOptions layer = layer_options(
      options, mixing.self_attention == nullptr ? LayerAttentionOptions() : *mixing.self_attention,
      model, /*causal=*/true);
  const int64_t count = options.layers, chosen = options.alignment_layer;
  shown_ = static_cast<std::size_t>((chosen > 0 ? chosen : count) - 1);
  if (shape.size != layer.size) {
    memory_ = register_module("memory", std::make_shared<nn::Linear>(shape.size, layer.size));
  }
  for (int64_t i = 0; i < count; ++i) {
    layers_.push_back(register_module(
        fmt::format("layer{}", i),
        std::make_shared<DecoderLayer>(layer, mixing.make(layer), model.attention)));
    scale_by_depth(*layers_.back(), i + 1);
  }
  if (layer.norm_first) {
    norm_ = register_module("norm", std::make_shared<nn::LayerNorm>(layer.size));
  }
}

nn::Memory TransformerDecoder::Stack::memory_of(const EncoderOutput& source) const {
  const torch::Tensor values = memory_ ? memory_->forward(source.outputs) : source.outputs;
  return {values, values, source.mask, source.lengths};
}

Encoded TransformerDecoder::Stack::start(const nn::Memory& memory) const {
  Memories memories;
  TransformerState state;
  for (const auto& layer : layers_) {
    memories.push_back(layer->prepare(memory));
    state.layers.push_back(layer->start(memories.back()));
  }
  return {std::move(memories), DecoderState(std::move(state))};
}

DecoderLayer::Output TransformerDecoder::Stack::run_layer(std::size_t i, const Stream& x,
                                                          const LayerInput& input,
                                                          const Extras& extras) const {
  const nn::AttentionOutputs rest =
      extras.traced != nullptr ? nn::AttentionOutputs::weights : nn::AttentionOutputs::context_only;
  const nn::Execution execution = nn::execution();
  const nn::AttentionOutputs cross =
      i == shown_ && execution.shown_weights ? nn::AttentionOutputs::weights : rest;
  const bool is_stream_alone = !extras.state && cross == nn::AttentionOutputs::context_only;
  if (is_stream_alone && execution.recompute) return run_recomputed(*layers_[i], x, input);
  return layers_[i]->forward(x, input.memory, input.state, input.ancestry, input.position,
                             {rest, cross});
}

TransformerDecoder::Stack::StackOutput TransformerDecoder::Stack::run_layers(
    const torch::Tensor& embedded, const Memories& memories, const TransformerState& state,
    const Extras& extras) const {
  StackOutput result;
  std::vector<bool> drawn =
      active_layers(static_cast<int64_t>(layers_.size()), layer_drop_, is_training());
  drawn[shown_] = true;
  Stream x = input_->forward(embedded, state.position);
  const Ancestry ancestry = ancestry_of(state, x.x);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    result.state.layers.push_back(state.layers[i]);
    if (!drawn[i]) continue;
    DecoderLayer::Output output =
        run_layer(i, x, {memories[i], state.layers[i], ancestry, state.position}, extras);
    if (extras.traced != nullptr) add_layer(*extras.traced, output);
    if (extras.interactions) add_interactions(*extras.traced, *layers_[i], x, memories[i]);
    x = std::move(output.x);
    result.state.layers.back() = std::move(output.state);
    add_drawn(result.drawn, output.attended.drawn);
    if (i == shown_) result.shown = std::move(output.attended);
  }
  result.state.ancestors = ancestry.now;
  result.state.position = state.position + embedded.size(1);
  result.outputs = top_of(x, norm_.get());
  return result;
}

TransformerDecoder::TransformerDecoder(const StackDecoderOptions& options, const Mixing& mixing,
                                       const ModelOptions& model,
                                       const std::vector<EncoderShape>& shapes)
    : size_(width_of(options, model)),
      whole_weights_(!model.attention.per_feature),
      cross_heads_(static_cast<std::size_t>(options.layers), model.attention.heads),
      self_heads_(mixing.self_attention == nullptr ? 0U : cross_heads_.size(), options.heads),
      stack_(std::make_shared<Stack>(options, mixing, model, single_shape(model, shapes))) {}

std::shared_ptr<Decoder> make_decoder(const TransformerDecoderOptions& decoder,
                                      const ModelOptions& model,
                                      const std::vector<EncoderShape>& shapes) {
  const TransformerDecoder::Mixing mixing{make_self_attention_mixer, &decoder.layer_attention};
  return std::make_shared<TransformerDecoder>(decoder, mixing, model, shapes);
}

std::shared_ptr<Decoder> make_decoder(const SsruDecoderOptions& decoder, const ModelOptions& model,
                                      const std::vector<EncoderShape>& shapes) {
  const TransformerDecoder::Mixing mixing{make_ssru_mixer, nullptr};
  return std::make_shared<TransformerDecoder>(decoder, mixing, model, shapes);
}

namespace {

template <class Options>
std::shared_ptr<Decoder> make_with_cell(const Options& decoder, const ModelOptions& model,
                                        const std::vector<EncoderShape>& shapes) {
  const auto make = [](const LayerOptions& layer) {
    return make_recurrent_mixer(Options::kCell, layer);
  };
  return std::make_shared<TransformerDecoder>(decoder, TransformerDecoder::Mixing{make, nullptr},
                                              model, shapes);
}

}  // namespace

std::shared_ptr<Decoder> make_decoder(const GruDecoderOptions& decoder, const ModelOptions& model,
                                      const std::vector<EncoderShape>& shapes) {
  return make_with_cell(decoder, model, shapes);
}

std::shared_ptr<Decoder> make_decoder(const LstmDecoderOptions& decoder, const ModelOptions& model,
                                      const std::vector<EncoderShape>& shapes) {
  return make_with_cell(decoder, model, shapes);
}

std::vector<Decoder::NamedModule> TransformerDecoder::modules() const {
  return {{"decoder", stack_}};
}

Encoded TransformerDecoder::start(const std::vector<EncoderOutput>& sources) const {
  if (sources.size() != 1) throw std::logic_error("a transformer decoder reads one source");
  return stack_->start(stack_->memory_of(sources.front()));
}

Decoded TransformerDecoder::decode(const nn::IndexedRows& embedded, const torch::Tensor&,
                                   const Encoded& encoded) const {
  return stack_
      ->run_layers(embedded.all(), encoded.memories, encoded.start.as<TransformerState>(), {})
      .decoded();
}

TracedDecoding TransformerDecoder::trace(const nn::IndexedRows& embedded, const torch::Tensor&,
                                         const Encoded& encoded) const {
  TracedDecoding traced;
  traced.decoded = stack_
                       ->run_layers(embedded.all(), encoded.memories,
                                    encoded.start.as<TransformerState>(), {.traced = &traced})
                       .decoded();
  if (whole_weights_) traced.contributions = stack_->contributions(traced.cross, encoded.memories);
  return traced;
}

TracedDecoding TransformerDecoder::trace_interactions(const nn::IndexedRows& embedded,
                                                      const torch::Tensor&,
                                                      const Encoded& encoded) const {
  TracedDecoding traced;
  traced.decoded =
      stack_
          ->run_layers(embedded.all(), encoded.memories, encoded.start.as<TransformerState>(),
                       {.traced = &traced, .interactions = true})
          .decoded();
  return traced;
}

std::vector<std::string> TransformerDecoder::plain_reasons() const {
  return stack_->plain_reasons();
}

std::vector<std::string> TransformerDecoder::interaction_obstacles() const {
  std::vector<std::string> obstacles;
  if (self_heads_.empty()) obstacles.emplace_back("decoder.type");
  if (!whole_weights_) obstacles.emplace_back("attention.per_feature");
  return obstacles;
}

bool TransformerDecoder::has_fused_attention() const {
  return stack_->has_fused_attention();
}

LayerHeads TransformerDecoder::cross_attention_heads() const {
  return cross_heads_;
}
LayerHeads TransformerDecoder::self_attention_heads() const {
  return self_heads_;
}
std::size_t TransformerDecoder::shown_layer() const {
  return stack_->shown();
}

DecodedStep TransformerDecoder::step(const torch::Tensor& tokens, const nn::Embedding& embedding,
                                     const Memories& memories, const DecoderState& state) const {
  Stack::StackOutput result = stack_->run_layers(embedding.forward(tokens).unsqueeze(1), memories,
                                                 state.as<TransformerState>(), {.state = true});
  const torch::Tensor &weights = result.shown.weights, &heads = result.shown.heads;
  return {result.outputs.squeeze(1), weights.defined() ? weights.squeeze(1) : weights,
          heads.defined() ? heads.squeeze(2) : heads, DecoderState(std::move(result.state))};
}

}  // namespace attend::model
