#include "model/options.h"

namespace attend::model {
namespace {

std::string no_word_is_dropped(const WordDropoutOptions& options) {
  const bool changed = options.by != MaskPer::token || options.replacement != Replacement::zero;
  if (!changed || options.source > 0.0 || options.target > 0.0) return "";
  return "this key has no effect without dropped words; give source or target a probability";
}

std::string no_embedding_is_dropped(const DropoutOptions& options) {
  if (options.embedding_by == MaskPer::token || options.embedding > 0.0) return "";
  return "this key has no effect without dropout on embeddings; give embedding a probability";
}

}  // namespace

std::string type_name(const EncoderOptions& encoder) {
  return std::visit([](const auto& family) { return std::string(family.kType); }, encoder);
}

std::string type_name(const DecoderOptions& decoder) {
  return std::visit([](const auto& family) { return std::string(family.kType); }, decoder);
}

const RecurrentDecoderOptions& recurrent_decoder(const ModelOptions& options) {
  return std::get<RecurrentDecoderOptions>(options.decoder);
}

const StackDecoderOptions* stack_of(const DecoderOptions& decoder) {
  return std::visit(
      []<class Family>(const Family& family) -> const StackDecoderOptions* {
        if constexpr (std::is_base_of_v<StackDecoderOptions, Family>) return &family;
        return nullptr;
      },
      decoder);
}

bool attends(const ModelOptions& options) {
  return std::visit([](const auto& family) { return family.attends(); }, options.decoder);
}

std::string wiring_name(const DecoderOptions& decoder) {
  const auto* const recurrent = std::get_if<RecurrentDecoderOptions>(&decoder);
  return recurrent == nullptr ? type_name(decoder) : std::string(enum_name(recurrent->wiring));
}

int64_t width_of(const TransformerOptions& stack, const ModelOptions& model) {
  return stack.width > 0 ? stack.width : model.embedding;
}

void describe(config::Schema<SourcesOptions>& schema) {
  using Options = SourcesOptions;
  schema.flag(
      "share_encoder", &Options::share_encoder,
      "One encoder reads all sources, one at a time; false: each source has its own encoder.");
  schema.choice(
      "combination", &Options::combination,
      "How the attention to several sources becomes one context. flat: one distribution over the "
      "words of all sources; hierarchical: attention to the contexts of the sources (Libovicky & "
      "Helcl 2017); gate: a gated sum of the contexts; concat: the "
      "concatenated contexts (Zoph & Knight 2016).");
  schema.choice(
      "coattention", &Options::coattention,
      "How two sources attend to each other before the decoder reads them. parallel and "
      "alternating (Lu et al. 2016): a summary of each source is the query to the other (inner "
      "size: attention.size, or the encoder's); alternating begins with the first source. dynamic "
      "(Xiong et al. 2017) and bidirectional (Seo et al. 2017): all positions are compared with "
      "all; the size is rounded up to an even number.");
}

void describe(config::Schema<WordDropoutOptions>& schema) {
  using Options = WordDropoutOptions;
  const auto probability = config::in_range(0.0, 0.95);
  schema.number("source", &Options::source, probability, "Probability of dropping a source piece.");
  schema.number("target", &Options::target, probability,
                "Probability of dropping a piece of the decoder's input; the piece is still to be "
                "predicted.");
  schema.choice("by", &Options::by,
                "token: every occurrence independently; type: all occurrences of a piece in its "
                "sentence together (Gal & Ghahramani 2016).");
  schema.choice("replacement", &Options::replacement,
                "The input that replaces a dropped piece: zeros, with the other vectors times 1 / "
                "(1 - probability) as in all dropout, or the vector of <unk>.");
  schema.rule({"by", "replacement", "source", "target"}, no_word_is_dropped);
}

void describe(config::Schema<DropoutOptions>& schema) {
  using Options = DropoutOptions;
  const auto probability = config::in_range(0.0, 0.95);
  schema.number("embedding", &Options::embedding, probability,
                "Dropout on source and target embeddings.");
  schema.choice("embedding_by", &Options::embedding_by,
                "token: every occurrence of a piece has a mask of its own; type: one mask for all "
                "of its occurrences in a batch (Gal & Ghahramani 2016), so that recurrent layers "
                "multiply each distinct piece once.");
  schema.number(
      "layer", &Options::layer, probability,
      "Dropout between stacked layers and on the encoder's output; in a transformer on the "
      "output of each part of a layer.");
  schema.number("recurrent", &Options::recurrent, probability,
                "Dropout on the hidden state, one mask per sentence (Gal & Ghahramani 2016).");
  schema.number("attention", &Options::attention, probability, "Dropout on attention weights.");
  schema.number("output", &Options::output, probability, "Dropout before the output layer.");
  schema.number("feed_forward", &Options::feed_forward, probability,
                "Dropout between the two layers of a transformer's feed-forward networks.");
  schema.section(
      "word", &Options::word,
      "Dropout of whole pieces (Sennrich & Zhang 2019: 0.1 or more helps small corpora).");
  schema.rule({"embedding_by", "embedding"}, no_embedding_is_dropped);
}

void describe(config::Schema<ModelOptions>& schema) {
  using Options = ModelOptions;
  schema.integer("embedding", &Options::embedding, config::in_range<int64_t>(1, 65536),
                 "Size of word vectors.");
  schema.choice(
      "tie", &Options::tie,
      "Shared matrices: none; decoder: target embedding and output layer; all: the source "
      "embedding too (needs tokenizer.joint).");
  schema.families(
      "encoder", &Options::encoder, "Reads the source.",
      "Kind of encoder: recurrent layers; hierarchical, the same on two levels, over the words of "
      "each segment and over segments (Yang et al. 2016; data.segments); a transformer (Vaswani et "
      "al. 2017); or memory, a memory of facts that a question attends to in hops (Sukhbaatar et "
      "al. 2015; data.segments). Keys of another kind are refused.");
  schema.families(
      "decoder", &Options::decoder, "Writes the target.",
      "Kind of decoder: recurrent layers; a transformer; or a transformer with a recurrent unit in "
      "place of the self-attention: gru and lstm (Domhan 2018), or ssru, a simple one that is "
      "faster in search (Kim et al. 2019). Keys of another kind are refused.");
  schema.section("attention", &Options::attention, "How the decoder attends to the source.");
  schema.section("sources", &Options::sources,
                 "Several sources of each example (data.train.source as a mapping).");
  schema.section("dropout", &Options::dropout, "Dropout probabilities, in training only.");
  add_rules(schema);
}

}  // namespace attend::model
