#include "model/seq2seq.h"

#include "core/error.h"
#include "model/output_layer.h"
#include "model/recurrent/bridge.h"
#include "model/recurrent/encoder.h"
#include "model/recurrent/source_reading.h"
#include "model/recurrent/wiring_registry.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/execution.h"
#include "nn/rnn/sequence.h"
#include "nn/row_cache.h"
#include "nn/shape.h"

namespace attend::model {

Encoded Encoded::select(const torch::Tensor& rows) const {
  return {memory.select(rows), start.select(rows)};
}

struct Seq2Seq::Parts {
  ModelOptions options;
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  std::shared_ptr<nn::Embedding> source_embedding;
  std::shared_ptr<nn::Embedding> target_embedding;
  std::shared_ptr<Encoder> encoder;
  std::shared_ptr<Bridge> bridge;
  std::shared_ptr<Wiring> wiring;
  std::shared_ptr<OutputLayer> output;
};

Seq2Seq::Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary)
    : parts_(std::make_unique<Parts>()) {
  parts_->options = options;
  parts_->source_vocabulary = source_vocabulary;
  parts_->target_vocabulary = target_vocabulary;
  add_embeddings();
  parts_->encoder = register_module(
      "encoder", std::make_shared<Encoder>(options.encoder, options.dropout, options.embedding));
  const int64_t memory_size = parts_->encoder->output_size();
  parts_->bridge = register_module("bridge", std::make_shared<Bridge>(options, memory_size));
  parts_->wiring = register_module("decoder", make_wiring(options, memory_size));
  add_output_layer();
}

Seq2Seq::~Seq2Seq() = default;

void Seq2Seq::add_embeddings() {
  const int64_t size = parts_->options.embedding;
  parts_->target_embedding = register_module(
      "target_embedding", std::make_shared<nn::Embedding>(parts_->target_vocabulary, size));
  if (parts_->options.tie != "all") {
    parts_->source_embedding = register_module(
        "source_embedding", std::make_shared<nn::Embedding>(parts_->source_vocabulary, size));
    return;
  }
  if (parts_->source_vocabulary != parts_->target_vocabulary) {
    throw ConfigError(
        "model.tie: all shares one matrix between source and target, so they need "
        "one vocabulary: set tokenizer.joint: true, or model.tie: decoder");
  }
  parts_->source_embedding = parts_->target_embedding;
}

void Seq2Seq::add_output_layer() {
  const int64_t size = parts_->wiring->output_size();
  parts_->output = register_module(
      "output", parts_->options.tie == "none"
                    ? std::make_shared<OutputLayer>(size, parts_->target_vocabulary)
                    : std::make_shared<OutputLayer>(size, parts_->target_embedding));
}

Encoded Seq2Seq::encode(const data::SentenceBatch& source) const {
  const data::SentenceBatch arranged = arrange_source(source, parts_->options.encoder);
  return encode_arranged(arranged, embed(*parts_->source_embedding, arranged.ids));
}

nn::IndexedRows Seq2Seq::embed(const nn::Embedding& embedding, const torch::Tensor& words) const {
  const double probability = parts_->options.dropout.embedding;
  const bool drops = is_training() && probability > 0.0;
  if (!drops && nn::is_fusible(embedding.weight())) return embedding.distinct(words);
  return nn::dropout(embedding.forward(words), probability, drops);
}

torch::Tensor Seq2Seq::embed_source(const data::SentenceBatch& source) const {
  return parts_->source_embedding->forward(source.ids);
}

Encoded Seq2Seq::encode_embedded(const data::SentenceBatch& source,
                                 const torch::Tensor& embedded) const {
  nn::check_shape(embedded, {source.ids.size(0), source.ids.size(1), parts_->options.embedding},
                  "encode_embedded embedded");
  // Positions are arranged as words are, so that each reading of one takes the same vector.
  const torch::Tensor positions =
      torch::arange(source.ids.size(1), source.ids.options()).expand_as(source.ids);
  const data::SentenceBatch arranged =
      arrange_source({positions, source.lengths, source.mask}, parts_->options.encoder);
  return encode_arranged(arranged, nn::gather_positions(embedded, arranged.ids));
}

Encoded Seq2Seq::encode_arranged(const data::SentenceBatch& arranged,
                                 const nn::IndexedRows& embedded) const {
  const torch::Tensor lengths = arranged.lengths.to(arranged.ids.device());
  const EncoderOutput encoded = parts_->encoder->forward(embedded, lengths, arranged.mask);
  const nn::PreparedMemory memory =
      parts_->wiring->prepare({encoded.outputs, encoded.outputs, encoded.mask, encoded.lengths});
  return {memory, parts_->wiring->start(memory, parts_->bridge->forward(encoded))};
}

Decoded Seq2Seq::decode(const Encoded& encoded, const data::SentenceBatch& target_input) const {
  const nn::IndexedRows embedded = embed(*parts_->target_embedding, target_input.ids);
  Decoded decoded =
      parts_->wiring->decode(embedded, target_input.lengths, encoded.memory, encoded.start);
  decoded.outputs = nn::dropout(decoded.outputs, parts_->options.dropout.output, is_training());
  return decoded;
}

torch::Tensor Seq2Seq::logits(const torch::Tensor& outputs) const {
  return parts_->output->forward(outputs);
}

nn::CrossEntropy Seq2Seq::loss(const torch::Tensor& outputs, const torch::Tensor& targets,
                               double smoothing) const {
  return parts_->output->loss(outputs, targets, smoothing);
}

Step Seq2Seq::step(const torch::Tensor& tokens, const nn::PreparedMemory& memory,
                   const DecoderState& state) const {
  const torch::Tensor embedded = parts_->target_embedding->forward(tokens);  // [N, E]
  const LayerMasks masks = parts_->wiring->draw_masks(tokens.size(0), embedded);
  const torch::Tensor projected = project_words(tokens, embedded);
  const Advanced advanced = steps_are_fused()
                                ? parts_->wiring->advance_fused(projected, memory, state, masks)
                                : parts_->wiring->advance(projected, memory, state, masks);
  const torch::Tensor output = parts_->wiring->readout(embedded, advanced.hidden, advanced.context);
  return {logits(output), advanced.weights, advanced.heads, advanced.state};
}

torch::Tensor Seq2Seq::project_words(const torch::Tensor& tokens,
                                     const torch::Tensor& embedded) const {
  nn::RowCache* const known = nn::execution().words;
  if (known == nullptr || torch::GradMode::is_enabled() || !nn::is_fusible(embedded)) {
    return parts_->wiring->project(embedded);
  }
  return known->rows(tokens, [this](const torch::Tensor& words) {
    return parts_->wiring->project(parts_->target_embedding->forward(words));
  });
}

bool Seq2Seq::steps_are_fused() const {
  return parts_->wiring->is_fusible() && nn::is_fusible(parts_->target_embedding->weight());
}

std::vector<std::string> Seq2Seq::plain_parts() const {
  std::vector<std::string> parts;
  if (parts_->options.encoder.layer_norm) parts.emplace_back("encoder (layer_norm)");
  if (!parts_->wiring->is_fusible()) {
    parts.emplace_back(
        "decoder (fused are layers without layer_norm, attention additive, dot, scaled_dot or "
        "general "
        "with softmax, global, one head and no attention dropout)");
  }
  return parts;
}

const ModelOptions& Seq2Seq::options() const {
  return parts_->options;
}
int64_t Seq2Seq::source_vocabulary() const {
  return parts_->source_vocabulary;
}
int64_t Seq2Seq::target_vocabulary() const {
  return parts_->target_vocabulary;
}
torch::Device Seq2Seq::device() const {
  return parts_->target_embedding->weight().device();
}

}  // namespace attend::model
