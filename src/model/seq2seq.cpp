#include "model/seq2seq.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "core/error.h"
#include "model/output_layer.h"
#include "model/registry.h"
#include "model/word_dropout.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/execution.h"
#include "nn/rnn/sequence.h"
#include "nn/shape.h"
#include "text/vocabulary.h"

namespace attend::model {

struct Seq2Seq::Parts {
  ModelOptions options;
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  std::shared_ptr<nn::Embedding> source_embedding;
  std::shared_ptr<nn::Embedding> target_embedding;
  std::shared_ptr<Encoder> encoder;
  std::shared_ptr<Decoder> decoder;
  std::shared_ptr<OutputLayer> output;
};

Seq2Seq::Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary)
    : Seq2Seq(options, source_vocabulary, target_vocabulary, make_encoder(options)) {}

Seq2Seq::Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary,
                 const std::shared_ptr<Encoder>& encoder)
    : Seq2Seq(options, source_vocabulary, target_vocabulary, encoder,
              make_decoder(options, encoder->shapes())) {}

Seq2Seq::Seq2Seq(const ModelOptions& options, int64_t source_vocabulary, int64_t target_vocabulary,
                 std::shared_ptr<Encoder> encoder, std::shared_ptr<Decoder> decoder)
    : parts_(std::make_unique<Parts>()) {
  parts_->options = options;
  parts_->source_vocabulary = source_vocabulary;
  parts_->target_vocabulary = target_vocabulary;
  add_embeddings();
  parts_->encoder = register_module("encoder", std::move(encoder));
  parts_->decoder = std::move(decoder);
  // Registers the decoder's modules beside the encoder, as in weights files.
  for (const auto& [name, part] : parts_->decoder->modules()) register_module(name, part);
  add_output_layer();
}

Seq2Seq::~Seq2Seq() = default;

void Seq2Seq::add_embeddings() {
  const int64_t size = parts_->options.embedding;
  parts_->target_embedding = register_module(
      "target_embedding", std::make_shared<nn::Embedding>(parts_->target_vocabulary, size));
  if (parts_->options.tie != Tie::all) {
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
  const int64_t size = parts_->decoder->output_size();
  parts_->output = register_module(
      "output", parts_->options.tie == Tie::none
                    ? std::make_shared<OutputLayer>(size, parts_->target_vocabulary)
                    : std::make_shared<OutputLayer>(size, parts_->target_embedding));
}

Encoded Seq2Seq::encode(const data::SentenceBatch& source) const {
  const data::SentenceBatch arranged = parts_->encoder->arranged(source);
  return encode_arranged(arranged, embed_arranged(arranged));
}

nn::IndexedRows Seq2Seq::embed_arranged(const data::SentenceBatch& arranged) const {
  return embed(*parts_->source_embedding, arranged.ids,
               {parts_->options.dropout.word.source, parts_->encoder->drops_embeddings()});
}

nn::IndexedRows Seq2Seq::embed_target(const data::SentenceBatch& target_input) const {
  return embed(*parts_->target_embedding, target_input.ids,
               {parts_->options.dropout.word.target, parts_->decoder->drops_embeddings()});
}

TracedPair Seq2Seq::trace(const data::SentenceBatch& source,
                          const data::SentenceBatch& target_input) const {
  if (is_training()) throw std::logic_error("cannot trace a model in training mode");
  const data::SentenceBatch arranged = parts_->encoder->arranged(source);
  TracedEncoding encoding = parts_->encoder->trace(embed_arranged(arranged), arranged);
  const Encoded encoded = parts_->decoder->start(encoding.outputs);
  return {std::move(encoding.self),
          parts_->decoder->trace(embed_target(target_input), target_input.lengths, encoded),
          std::move(encoding.memory)};
}

TracedPair Seq2Seq::trace_interactions(const data::SentenceBatch& source,
                                       const data::SentenceBatch& target_input) const {
  if (is_training()) throw std::logic_error("cannot trace a model in training mode");
  if (!interaction_obstacles().empty())
    throw std::logic_error("the model's layers do not split into sums");
  TracedEncoding encoding = parts_->encoder->trace_interactions(embed_arranged(source), source);
  const Encoded encoded = parts_->decoder->start(encoding.outputs);
  return {std::move(encoding.self),
          parts_->decoder->trace_interactions(embed_target(target_input), target_input.lengths,
                                              encoded),
          {},
          std::move(encoding.interactions)};
}

nn::IndexedRows Seq2Seq::embed(const nn::Embedding& embedding, const torch::Tensor& words,
                               const EmbeddingDropout& dropout) const {
  if (!is_training() || dropout.words == 0.0) return embed_all(embedding, words, dropout);
  const WordDropoutOptions& options = parts_->options.dropout.word;
  const torch::Tensor dropped = draw_dropped_words(words, dropout.words, options.by);
  if (options.replacement == Replacement::unk)
    return embed_all(embedding, words.masked_fill(dropped, int64_t{text::kUnk}), dropout);
  const nn::IndexedRows rest = embed_kept(embedding, words, dropped, dropout.words);
  return drop_embeddings(rest, words, dropout);
}

nn::IndexedRows Seq2Seq::embed_all(const nn::Embedding& embedding, const torch::Tensor& words,
                                   const EmbeddingDropout& dropout) const {
  const bool by_type = parts_->options.dropout.embedding_by == MaskPer::type;
  const bool once = by_type || !drops_embeddings(dropout);
  if (once && nn::is_fusible(embedding.weight())) {
    return drop_embeddings(embedding.distinct(words), words, dropout);
  }
  if (by_type) return drop_embeddings(embedding.distinct(words), words, dropout).all();
  return drop_embeddings(embedding.forward(words), words, dropout);
}

bool Seq2Seq::drops_embeddings(const EmbeddingDropout& dropout) const {
  return is_training() && parts_->options.dropout.embedding > 0.0 && !dropout.by_reader;
}

nn::IndexedRows Seq2Seq::drop_embeddings(const nn::IndexedRows& vectors, const torch::Tensor& words,
                                         const EmbeddingDropout& dropout) const {
  if (!drops_embeddings(dropout)) return vectors;
  const DropoutOptions& options = parts_->options.dropout;
  if (options.embedding_by == MaskPer::token)
    return nn::dropout(vectors.all(), options.embedding, true);
  // A row stands for a word, not a line. Its mask is drawn by word, so it is equal in all batches.
  const torch::Tensor names = torch::zeros({vectors.rows.size(0)}, torch::kInt64);
  names.scatter_(0, vectors.index.flatten().to(torch::kCPU), words.flatten().to(torch::kCPU));
  const nn::LinesScope by_word(names);
  return {nn::dropout(vectors.rows, options.embedding, true), vectors.index};
}

torch::Tensor Seq2Seq::embed_source(const data::SentenceBatch& source) const {
  return parts_->source_embedding->forward(source.ids);
}

Encoded Seq2Seq::encode_embedded(const data::SentenceBatch& source,
                                 const torch::Tensor& embedded) const {
  nn::check_shape(embedded, {source.ids.size(0), source.ids.size(1), parts_->options.embedding},
                  "encode_embedded embedded");
  // Positions are arranged like words, so that each reading of a position takes the same vector.
  const torch::Tensor positions =
      torch::arange(source.ids.size(1), source.ids.options()).expand_as(source.ids);
  const torch::Tensor taken =
      parts_->encoder->arranged({positions, source.lengths, source.mask}).ids;
  return encode_arranged(parts_->encoder->arranged(source), nn::gather_positions(embedded, taken));
}

Encoded Seq2Seq::encode_arranged(const data::SentenceBatch& arranged,
                                 const nn::IndexedRows& embedded) const {
  return parts_->decoder->start(parts_->encoder->encode(embedded, arranged));
}

Decoded Seq2Seq::decode(const Encoded& encoded, const data::SentenceBatch& target_input) const {
  Decoded decoded =
      parts_->decoder->decode(embed_target(target_input), target_input.lengths, encoded);
  decoded.outputs = nn::dropout(decoded.outputs, parts_->options.dropout.output, is_training());
  return decoded;
}

torch::Tensor Seq2Seq::logits(const torch::Tensor& outputs) const {
  return parts_->output->forward(outputs);
}

nn::CrossEntropy Seq2Seq::loss(const torch::Tensor& outputs, const torch::Tensor& targets,
                               const nn::LossOptions& options) const {
  return parts_->output->loss(outputs, targets, options);
}

OutputRows Seq2Seq::output_rows(const torch::Tensor& ids, nn::OwnColumns own) const {
  return parts_->output->rows(ids, std::move(own));
}

Predicted Seq2Seq::step(const torch::Tensor& tokens, const Memories& memories,
                        const DecoderState& state, const OutputRows* scored) const {
  DecodedStep step = parts_->decoder->step(tokens, *parts_->target_embedding, memories, state);
  torch::Tensor scores = scored != nullptr ? parts_->output->forward(step.output, *scored)
                                           : parts_->output->forward(step.output);
  return {std::move(scores), step.weights, step.heads, std::move(step.state)};
}

bool Seq2Seq::steps_are_fused() const {
  const torch::Tensor& like = parts_->target_embedding->weight();
  const bool has_kernels =
      parts_->decoder->decodes_in_loop() ? nn::runs_in_loop(like) : nn::is_fusible(like);
  return has_kernels && parts_->decoder->has_fused_attention();
}

std::vector<std::string> Seq2Seq::plain_parts() const {
  std::vector<std::string> parts;
  const auto add = [&parts](const char* part, const std::vector<std::string>& reasons) {
    if (!reasons.empty()) parts.push_back(fmt::format("{} ({})", part, fmt::join(reasons, ", ")));
  };
  add("encoder", parts_->encoder->plain_reasons());
  add("decoder", parts_->decoder->plain_reasons());
  return parts;
}

bool Seq2Seq::has_contributions() const {
  return parts_->decoder->has_contributions();
}

std::vector<std::string> Seq2Seq::interaction_obstacles() const {
  std::vector<std::string> obstacles = parts_->encoder->interaction_obstacles();
  for (std::string& obstacle : parts_->decoder->interaction_obstacles())
    obstacles.push_back(std::move(obstacle));
  return obstacles;
}

bool Seq2Seq::attends() const {
  return parts_->decoder->attends();
}
AttentionHeads Seq2Seq::attention_heads() const {
  return {.encoder = parts_->encoder->self_attention_heads(),
          .decoder = parts_->decoder->self_attention_heads(),
          .cross = parts_->decoder->cross_attention_heads(),
          .encoder_memory = parts_->encoder->memory_heads(),
          .decoder_memory = parts_->decoder->memory_heads(),
          .encoder_is_stack = parts_->encoder->is_stack()};
}
std::size_t Seq2Seq::shown_layer() const {
  return parts_->decoder->shown_layer();
}
bool Seq2Seq::is_pointwise() const {
  return parts_->decoder->is_pointwise();
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
