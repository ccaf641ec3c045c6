#include "model/options.h"

#include "model/family_names.h"
#include "model/family_rules.h"
#include "model/recurrent/wiring_names.h"
#include "nn/attention/names.h"
#include "nn/rnn/names.h"

namespace attend::model {
namespace {

constexpr const char* kCells =
    "Recurrent cell: gru, lstm; mingru, a minimal one that feeds nothing back through a matrix "
    "(Feng et al. 2024); or one with a memory that it reads and writes, a neural Turing machine, "
    "ntm (Graves et al. 2014), or a differentiable neural computer, dnc (Graves et al. 2016).";

std::string self_attention_heads_must_fit(const EncoderOptions& options) {
  const int64_t heads = options.self_attention_heads;
  if (heads == 1) return "";
  if (options.self_attention == "none") {
    return "there are heads without an attention; choose self_attention: additive or scaled_dot";
  }
  const int64_t size = options.hidden * (options.bidirectional ? 2 : 1);
  if (size % heads == 0) return "";
  return std::to_string(heads) + " heads cannot share the " + std::to_string(size) +
         " features of the encoder evenly; choose a divisor";
}

std::string attention_needs_single_reading(const ModelOptions& options) {
  const bool changed = options.encoder.reverse_source || options.encoder.repeat_source > 1;
  if (!changed || !attends(options)) return "";
  return "reverse_source and repeat_source are remedies for decoders without attention; "
         "set decoder.wiring: none or leave them off";
}

std::string copied_memory_must_fit(const ModelOptions& options) {
  const std::string& cell = options.decoder.cell;
  if (!nn::cell_has_memory(cell) || options.encoder.cell != cell) return "";
  if (options.encoder.bidirectional) {
    return "bridge: copy hands one memory over, and an encoder that reads both ways has two; set "
           "encoder.bidirectional: false";
  }
  if (options.encoder.memory == options.decoder.memory) return "";
  return "bridge: copy hands the encoder's memory over as it is, so encoder.memory and "
         "decoder.memory must be the same";
}

std::string copied_states_must_fit(const ModelOptions& options) {
  if (options.decoder.bridge != "copy") return "";
  if (options.encoder.type != "recurrent") {
    return "bridge: copy hands a recurrent encoder's states over as they are, and this encoder has "
           "none; choose bridge: last or mean";
  }
  const std::string memory = copied_memory_must_fit(options);
  if (!memory.empty()) return memory;
  const int64_t width = options.encoder.hidden * (options.encoder.bidirectional ? 2 : 1);
  if (options.encoder.cell == options.decoder.cell && options.decoder.hidden == width &&
      options.decoder.layers == options.encoder.layers) {
    return "";
  }
  return "bridge: copy hands states over as they are, so encoder and decoder need the same cell "
         "and layers, and decoder.hidden must be " +
         std::to_string(width) + "; or choose bridge: last";
}

std::string one_position_cannot_be_dropped(const ModelOptions& options) {
  if (options.attention.distribution != "hard" || options.dropout.attention == 0.0) return "";
  return "hard gives one position all the weight, and dropout.attention would take it away; set "
         "dropout.attention: 0";
}

std::string no_word_is_left_out(const WordDropoutOptions& options) {
  const bool changed = options.by != "token" || options.replacement != "zero";
  if (!changed || options.source > 0.0 || options.target > 0.0) return "";
  return "without words that are left out it has no effect; give source or target a probability";
}

std::string no_embedding_is_dropped(const DropoutOptions& options) {
  if (options.embedding_by == "token" || options.embedding > 0.0) return "";
  return "without dropout on embeddings it has no effect; give embedding a probability";
}

/// Readers that add positions to embeddings drop what comes of that, which no two have in common.
std::string positions_have_no_type(const ModelOptions& options) {
  const bool is_read_as_it_is =
      options.encoder.type != "transformer" || options.decoder.type == "recurrent";
  if (options.dropout.embedding_by == "token" || is_read_as_it_is) return "";
  return "dropout.embedding_by: type is for readers of plain word vectors, and encoder and decoder "
         "both add positions to theirs; leave it out";
}

std::string none_has_no_readout_state(const ModelOptions& options) {
  if (attends(options) || options.decoder.bridge != "zero") return "";
  if (options.decoder.wiring == "answer") return "";
  return "without attention and with bridge: zero the decoder would never see the source; "
         "choose bridge: last, mean or copy, or wiring: answer";
}

}  // namespace

int64_t word_parts(const HopOptions& options) {
  return options.tying == "adjacent" ? options.count + 1 : 3;
}

int64_t width_of(const TransformerOptions& stack, const ModelOptions& model) {
  return stack.width > 0 ? stack.width : model.embedding;
}

void describe(config::Schema<LayerAttentionOptions>& schema) {
  using Options = LayerAttentionOptions;
  schema.choice("score", &Options::score, nn::score_names(),
                "How a query is compared with a key, as model.attention.score; none that reads "
                "the weights before, and no location.");
  schema.choice("distribution", &Options::distribution, nn::distribution_names(),
                "How energies become weights, as model.attention.distribution; not hard.");
  schema.choice("scope", &Options::scope, nn::scope_names(),
                "Which positions may get weight, as model.attention.scope, around a position's own "
                "place.");
  schema.integer("window", &Options::window, config::in_range<int64_t>(1, 65536),
                 "local_m, local_p: positions to each side of the centre.");
  schema.integer("max_distance", &Options::max_distance, config::in_range<int64_t>(0, 65536),
                 "position_bias, and positions: relative: distances beyond it are taken for it.");
  add_layer_attention_rules(schema);
}

namespace {

/// The keys that both sections have.
template <class Options>
void describe_stack(config::Schema<Options>& schema) {
  schema.integer("width", &Options::width, config::in_range<int64_t>(0, 65536),
                 "transformer: size of the vectors that go through the layers; 0: that of "
                 "model.embedding.");
  schema.integer("feed_forward", &Options::feed_forward, config::in_range<int64_t>(0, 1048576),
                 "transformer: inner size of the feed-forward networks; 0: four times the width.");
  schema.integer("heads", &Options::heads, config::in_range<int64_t>(1, 1024),
                 "transformer: heads of the self-attention; divides the width.");
  schema.choice("norm", &Options::norm, {"post", "pre"},
                "transformer: layer normalisation after each part of a layer and what goes around "
                "it (Vaswani et al. 2017), or before the part (Xiong et al. 2020).");
  schema.choice("positions", &Options::positions,
                {"learned", "none", "relative", "rotary", "sinusoidal"},
                "transformer: how words know their places: by vectors added to theirs, learned "
                "(Gehring et al. 2017) or sinusoidal (Vaswani et al. 2017); by distances that "
                "attention sees, relative (Shaw et al. 2018) or rotary (Su et al. 2021); or not.");
  schema.integer("max_positions", &Options::max_positions, config::in_range<int64_t>(1, 1048576),
                 "positions: learned: how many have a vector; those behind share the last one.");
  schema.choice("activation", &Options::activation, {"geglu", "gelu", "relu", "swiglu"},
                "transformer: inside the feed-forward networks; the glu kinds with a gate (Shazeer "
                "2020), which is a third matrix.");
  schema.number("layer_drop", &Options::layer_drop, config::in_range(0.0, 0.95),
                "transformer: probability of leaving a layer out in training (Fan et al. 2020).");
  schema.template section<LayerAttentionOptions>(
      "layer_attention", &Options::layer_attention,
      "transformer: how the positions of a layer look at one another.");
}

}  // namespace

void describe(config::Schema<HopOptions>& schema) {
  using Options = HopOptions;
  schema.integer("count", &Options::count, config::in_range<int64_t>(1, 32),
                 "How often the question looks at the facts.");
  schema.choice(
      "tying", &Options::tying, {"adjacent", "layer_wise"},
      "What a word's vector is made of. adjacent: a part for each hop and one more, which "
      "two hops share; layer_wise: three parts for all hops. Parts have one size, so "
      "model.embedding is a multiple of their number.");
  schema.choice("words", &Options::words, {"bag", "position"},
                "A fact is the sum of its words, as they are or weighted by their place.");
  schema.integer("slots", &Options::slots, config::in_range<int64_t>(1, 65536),
                 "How many facts are seen, counted back from the question; each has a vector for "
                 "its time.");
  schema.number("empty_slots", &Options::empty_slots, config::in_range(0.0, 0.95),
                "In training: probability of an empty slot before a fact, so that times vary.");
  schema.choice("weights", &Options::weights, {"linear", "softmax"},
                "Weights of the facts: a softmax, or the energies themselves. To begin linearly, "
                "train a model with linear, and one with softmax from it (training.init_from).");
}

void describe(config::Schema<EncoderOptions>& schema) {
  using Options = EncoderOptions;
  schema.choice(
      "type", &Options::type, encoder_names(),
      "Kind of encoder: recurrent layers; the same on two levels, over the words of each segment "
      "and over segments (hierarchical: Yang et al. 2016; data.segments); a Transformer (Vaswani "
      "et al. 2017); or a memory of facts that a question looks at in hops (Sukhbaatar et al. "
      "2015; data.segments). Keys of another kind are refused.");
  schema.choice("cell", &Options::cell, nn::cell_names(), kCells);
  schema.section("memory", &Options::memory, "ntm, dnc: the cell's memory.");
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 64), "Stacked layers.");
  schema.integer("hidden", &Options::hidden, config::in_range<int64_t>(1, 65536),
                 "State size per direction.");
  schema.flag("bidirectional", &Options::bidirectional, "Read every layer in both directions.");
  schema.flag("residual", &Options::residual,
              "Add each layer's input to its output, from the second layer on.");
  schema.flag("layer_norm", &Options::layer_norm, "Layer normalisation inside the cells.");
  schema.flag("reverse_source", &Options::reverse_source,
              "Read the source backwards (Sutskever et al. 2014); without attention only.");
  schema.integer(
      "repeat_source", &Options::repeat_source, config::in_range<int64_t>(1, 4),
      "Read the source this many times over (Zaremba & Sutskever 2014); without attention only.");
  schema.choice("self_attention", &Options::self_attention, {"none", "additive", "scaled_dot"},
                "How each source position attends to all of them above the recurrent layers "
                "(Cheng et al. 2016, Lin et al. 2017), with a residual connection and layer "
                "normalisation.");
  schema.integer("self_attention_heads", &Options::self_attention_heads,
                 config::in_range<int64_t>(1, 1024), "Heads of the self-attention.");
  schema.section("hops", &Options::hops, "memory: how the question looks at the facts.");
  schema.rule({"self_attention_heads", "self_attention", "hidden", "bidirectional"},
              self_attention_heads_must_fit);
  describe_stack(schema);
  add_encoder_rules(schema);
}

void describe(config::Schema<DecoderOptions>& schema) {
  using Options = DecoderOptions;
  schema.choice("type", &Options::type, decoder_names(),
                "Kind of decoder: recurrent layers; a Transformer; or the same with a recurrent "
                "unit in place of the self-attention, gru and lstm (Domhan 2018), or ssru, a "
                "simple one that is faster in search (Kim et al. 2019). Keys of another kind are "
                "refused.");
  schema.choice("cell", &Options::cell, nn::cell_names(), kCells);
  schema.section("memory", &Options::memory, "ntm, dnc: the cell's memory.");
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 64), "Stacked layers.");
  schema.integer("hidden", &Options::hidden, config::in_range<int64_t>(1, 65536), "State size.");
  schema.choice("wiring", &Options::wiring, wiring_names(),
                "Where attention sits in the decoder:" + wiring_meanings());
  schema.flag("input_feeding", &Options::input_feeding,
              "luong: the attentional state joins the next step's input.");
  schema.flag("residual", &Options::residual,
              "Add each layer's input to its output, from the second layer on.");
  schema.flag("layer_norm", &Options::layer_norm, "Layer normalisation inside the cells.");
  schema.choice("bridge", &Options::bridge, {"zero", "last", "mean", "copy"},
                "The first state: zeros, a layer over the encoder's last states or over its mean "
                "output, or the last states as they are, a cell's memory with them.");
  schema.choice(
      "readout", &Options::readout, {"tanh", "maxout"},
      "bahdanau and conditional: what joins state, word and context before the output layer.");
  describe_stack(schema);
  schema.integer(
      "alignment_layer", &Options::alignment_layer, config::in_range<int64_t>(0, 64),
      "transformer, ssru, gru, lstm: the layer, from 1, whose attention to the source is shown, "
      "guided and read for alignments; layer_drop leaves it in. 0: the last.");
  add_decoder_rules(schema);
}

void describe(config::Schema<SourcesOptions>& schema) {
  using Options = SourcesOptions;
  schema.flag("share_encoder", &Options::share_encoder,
              "One encoder reads all sources, each by itself; false: each has its own.");
  schema.choice("combination", &Options::combination, {"concat", "flat", "gate", "hierarchical"},
                "How the attention to several sources becomes one context. flat: one distribution "
                "over the words of all; hierarchical: an attention to the contexts of each "
                "(Libovicky & Helcl 2017); gate: their sum, each by a gate; concat: side by side "
                "(Zoph & Knight 2016).");
  schema.choice("coattention", &Options::coattention,
                {"alternating", "bidirectional", "dynamic", "none", "parallel"},
                "How two sources look at each other before the decoder reads them. Each summed up "
                "as the query to the other (inner size: attention.size, or the encoder's): "
                "parallel, or alternating, which begins with the first (Lu et al. 2016). All "
                "positions with all: dynamic (Xiong et al. 2017) or bidirectional (Seo et al. "
                "2017), whose sizes are even.");
}

void describe(config::Schema<WordDropoutOptions>& schema) {
  using Options = WordDropoutOptions;
  const auto probability = config::in_range(0.0, 0.95);
  schema.number("source", &Options::source, probability, "Of leaving out a source piece.");
  schema.number("target", &Options::target, probability,
                "Of leaving out a piece of the translation so far that the decoder reads; it is "
                "to be predicted all the same.");
  schema.choice("by", &Options::by, {"token", "type"},
                "token: every occurrence by itself; type: all occurrences of a piece in its "
                "sentence together (Gal & Ghahramani 2016).");
  schema.choice("replacement", &Options::replacement, {"zero", "unk"},
                "What stands there: zeros, with the vectors of the other pieces times 1 / (1 - "
                "probability) as in all dropout, or the vector of <unk>.");
  schema.rule({"by", "replacement", "source", "target"}, no_word_is_left_out);
}

void describe(config::Schema<DropoutOptions>& schema) {
  using Options = DropoutOptions;
  const auto probability = config::in_range(0.0, 0.95);
  schema.number("embedding", &Options::embedding, probability, "On source and target embeddings.");
  schema.choice("embedding_by", &Options::embedding_by, {"token", "type"},
                "token: every occurrence of a piece has a mask of its own; type: one for all of "
                "its occurrences in a batch (Gal & Ghahramani 2016), so that recurrent layers "
                "multiply each distinct piece once.");
  schema.number("layer", &Options::layer, probability,
                "Between stacked layers and on the encoder's output; in a transformer on what each "
                "part of a layer adds.");
  schema.number("recurrent", &Options::recurrent, probability,
                "On the state fed back, one mask per sentence (Gal & Ghahramani 2016).");
  schema.number("attention", &Options::attention, probability, "On attention weights.");
  schema.number("output", &Options::output, probability, "Before the output layer.");
  schema.number("feed_forward", &Options::feed_forward, probability,
                "Between the two layers of a transformer's feed-forward networks.");
  schema.section("word", &Options::word,
                 "Whole pieces that are left out (Sennrich & Zhang 2019: 0.1 and more helps small "
                 "corpora).");
  schema.rule({"embedding_by", "embedding"}, no_embedding_is_dropped);
}

void describe(config::Schema<ModelOptions>& schema) {
  using Options = ModelOptions;
  schema.integer("embedding", &Options::embedding, config::in_range<int64_t>(1, 65536),
                 "Size of word vectors.");
  schema.choice(
      "tie", &Options::tie, {"none", "decoder", "all"},
      "Shared matrices: none; decoder: target embedding and output layer; all: the source "
      "embedding too (needs tokenizer.joint).");
  schema.section("encoder", &Options::encoder, "Reads the source.");
  schema.section("decoder", &Options::decoder, "Writes the target.");
  schema.section("attention", &Options::attention, "How the decoder looks at the source.");
  schema.section("sources", &Options::sources,
                 "Several sources of each example (data.train.source as a mapping).");
  schema.section("dropout", &Options::dropout, "Probabilities of zeroing, in training only.");
  schema.rule({"encoder.reverse_source", "encoder.repeat_source", "decoder.wiring", "decoder.type"},
              attention_needs_single_reading);
  schema.rule({"decoder.bridge", "decoder.hidden", "decoder.layers", "decoder.memory",
               "encoder.hidden", "encoder.memory", "encoder.type"},
              copied_states_must_fit);
  schema.rule({"dropout.attention", "attention.distribution"}, one_position_cannot_be_dropped);
  schema.rule({"dropout.embedding_by", "encoder.type", "decoder.type"}, positions_have_no_type);
  schema.rule({"decoder.bridge", "decoder.wiring", "decoder.type"}, none_has_no_readout_state);
  add_family_rules(schema);
}

}  // namespace attend::model
