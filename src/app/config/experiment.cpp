#include "app/config/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/family_names.h"

namespace attend::app {
namespace {

std::string guidance_needs_attention(const Experiment& experiment) {
  const bool guided = !experiment.training.guided_alignment.links.empty();
  if (!guided || model::attends(experiment.model)) return "";
  return fmt::format(
      "wiring {} has no attention that links could guide; choose another wiring, or set "
      "guided_alignment.links: null",
      experiment.model.decoder.wiring);
}

std::string coverage_needs_attention(const Experiment& experiment) {
  const bool penalised = experiment.decoding.coverage_penalty > 0.0;
  if (!penalised || model::attends(experiment.model)) return "";
  return fmt::format(
      "wiring {} has no attention that could cover the source; choose another wiring, or set "
      "coverage_penalty: 0",
      experiment.model.decoder.wiring);
}

std::string unequal_numbers_of_files(const Experiment& experiment) {
  const std::size_t links = experiment.training.guided_alignment.links.size();
  const std::size_t texts = experiment.data.train.size();
  if (links == 0 || texts == 0 || links == texts) return "";
  return fmt::format("{} of links, but {} of training text; each pair of texts needs a file",
                     links == 1 ? "1 file" : fmt::format("{} files", links),
                     texts == 1 ? "1 pair" : fmt::format("{} pairs", texts));
}

std::string two_vocabularies_cannot_be_tied(const Experiment& experiment) {
  const bool tied = experiment.model.tie == "all" && !experiment.tokenizer.joint;
  // Tokenizers of the model that training starts from, whose weights say whether they fit.
  const bool adopted = !experiment.training.init_from.empty() && experiment.tokenizer.model.empty();
  if (!tied || adopted) return "";
  return "one matrix cannot hold two vocabularies; set tokenizer.joint: true, or tie: decoder";
}

/// Two passes differ by what they draw.
std::string nothing_for_r_drop_to_compare(const Experiment& experiment) {
  const model::DropoutOptions& dropout = experiment.model.dropout;
  const double most =
      std::max({dropout.embedding, dropout.layer, dropout.recurrent, dropout.attention,
                dropout.feed_forward, dropout.output, dropout.word.source, dropout.word.target});
  const bool draws = most > 0.0 || experiment.model.attention.distribution == "hard";
  if (experiment.training.r_drop == 0.0 || draws) return "";
  return "R-Drop compares two passes with different dropout, and this model has none; give "
         "model.dropout some (output: 0.3, say), or set r_drop: 0";
}

std::string r_drop_needs_two_masks(const Experiment& experiment) {
  if (experiment.training.r_drop == 0.0 || experiment.model.dropout.embedding_by == "token")
    return "";
  return "R-Drop reads each batch twice in one, so that type gives both passes the same masks; "
         "choose embedding_by: token, or set r_drop: 0";
}

std::string segments_are_of_some_encoders(const Experiment& experiment) {
  const bool separated = !experiment.data.segments.separator.empty();
  const std::string& type = experiment.model.encoder.type;
  if (separated == (type == "memory" || type == "hierarchical")) return "";
  if (separated) {
    return "this encoder reads a line as a whole, so a separator would have no effect; leave it "
           "out, or choose encoder.type: memory or hierarchical";
  }
  return fmt::format(
      "encoder.type: {} reads {}; say what stands between them, such as separator: \"|||\"", type,
      type == "memory" ? "facts and a question" : "segments");
}

bool reads_several(const Experiment& experiment) {
  return data::count_sources(experiment.data) > 1;
}

std::string sources_take_some_models(const Experiment& experiment) {
  if (!reads_several(experiment)) return "";
  const std::string& encoder = experiment.model.encoder.type;
  const model::DecoderOptions& decoder = experiment.model.decoder;
  const bool reads = encoder == "recurrent" || encoder == "transformer";
  if (reads && decoder.type == "recurrent" && model::attends(experiment.model)) return "";
  return fmt::format(
      "{} sources are given, which are read by encoder.type: recurrent or transformer and a "
      "decoder.type: recurrent that attends to them; choose these, or give source: FILE",
      data::count_sources(experiment.data));
}

std::string sources_are_weighed_once(const Experiment& experiment) {
  if (!reads_several(experiment)) return "";
  const nn::AttentionOptions& attention = experiment.model.attention;
  const bool by_place = attention.scope != "global" || attention.score.starts_with("location") ||
                        attention.score == "coverage";
  if (by_place) {
    return "several sources have no common places, so scope: global is for them, and a score that "
           "reads neither places nor the weights before";
  }
  const bool once = attention.heads == 1 && !attention.per_feature;
  const bool joined = experiment.model.sources.combination != "flat";
  if (attention.distribution != "hard" && (once || !joined)) return "";
  return "attention to each of several sources has one weight for each word, and none is drawn; "
         "set attention.heads: 1, per_feature: false and a distribution other than hard, or choose "
         "sources.combination: flat for heads";
}

std::string sources_hand_no_states_over(const Experiment& experiment) {
  if (experiment.model.decoder.bridge != "copy" || !reads_several(experiment)) return "";
  return "bridge: copy hands the states of one encoder over as they are, and there are several "
         "sources; choose bridge: last or mean";
}

std::string guidance_is_of_one_source(const Experiment& experiment) {
  const bool guided = !experiment.training.guided_alignment.links.empty();
  if (!guided || !reads_several(experiment)) return "";
  return "links are to one source, and there are several; leave guided_alignment.links out";
}

std::string one_source_has_no_combination(const Experiment& experiment) {
  const bool changed = !(experiment.model.sources == model::SourcesOptions());
  if (!changed || reads_several(experiment) || experiment.data.train.empty()) return "";
  return "it is for models of several sources, and data.train has one; leave it out, or give "
         "source: {NAME: FILE, NAME: FILE}";
}

std::string nobody_reads_the_inner_size(const Experiment& experiment) {
  const nn::AttentionOptions& attention = experiment.model.attention;
  const model::SourcesOptions& sources = experiment.model.sources;
  const bool joins = sources.combination == "hierarchical" ||
                     sources.coattention == "alternating" || sources.coattention == "parallel";
  const bool read = nn::reads_size(attention) || (joins && reads_several(experiment));
  if (read || attention.size == 0 || experiment.data.train.empty()) return "";
  return fmt::format(
      "size is the inner size of additive and its kin, concat, kernel, scope local_p, and several "
      "sources that are joined by hierarchical or look at each other by alternating or parallel, "
      "and would have no effect with score {} and scope {}; leave it out, or choose one of these",
      attention.score, attention.scope);
}

std::string coattention_is_between_two(const Experiment& experiment) {
  const std::size_t sources = data::count_sources(experiment.data);
  if (experiment.model.sources.coattention == "none" || sources < 3) return "";
  return fmt::format(
      "coattention is between two sources, and data.train has {}; give two, or set coattention: "
      "none",
      sources);
}

std::string no_layers_to_recompute(const Experiment& experiment) {
  const std::string& encoder = experiment.model.encoder.type;
  const std::string& decoder = experiment.model.decoder.type;
  const bool is_stack = encoder == "transformer" || decoder != "recurrent";
  if (!experiment.training.recompute_layers || is_stack) return "";
  return fmt::format(
      "layers of encoder.type transformer and decoder.type transformer, ssru, gru or lstm are "
      "computed again, so it would have no effect with {} and {}; leave it out, or choose one of "
      "these",
      encoder, decoder);
}

}  // namespace

void describe(config::Schema<Experiment>& schema) {
  schema.integer(
      "seed", &Experiment::seed, config::at_least(0),
      "Seed of everything random: first weights, order of the data, dropout, subword sampling.");
  schema.section("data", &Experiment::data, "The texts.");
  schema.section("tokenizer", &Experiment::tokenizer,
                 "How lines are cut into pieces (SentencePiece).");
  schema.section("model", &Experiment::model, "The network.");
  schema.section("training", &Experiment::training, "How the network is trained.");
  schema.section("decoding", &Experiment::decoding,
                 "How the trained network translates, unless told otherwise.");
  schema.rule({"training.guided_alignment.links", "model.decoder.wiring", "model.decoder.type"},
              guidance_needs_attention);
  schema.rule({"decoding.coverage_penalty", "model.decoder.wiring"}, coverage_needs_attention);
  schema.rule({"training.guided_alignment.links", "data.train"}, unequal_numbers_of_files);
  schema.rule({"model.tie", "tokenizer.joint"}, two_vocabularies_cannot_be_tied);
  schema.rule({"training.r_drop", "model.dropout"}, nothing_for_r_drop_to_compare);
  schema.rule({"training.r_drop", "model.dropout.embedding_by"}, r_drop_needs_two_masks);
  schema.rule({"data.train", "model.encoder.type", "model.decoder.type", "model.decoder.wiring"},
              sources_take_some_models);
  schema.rule({"model.attention.scope", "model.attention.score", "model.attention.heads",
               "model.attention.per_feature", "model.attention.distribution", "data.train"},
              sources_are_weighed_once);
  schema.rule({"model.decoder.bridge", "data.train"}, sources_hand_no_states_over);
  schema.rule({"training.guided_alignment.links", "data.train"}, guidance_is_of_one_source);
  schema.rule({"model.sources", "data.train"}, one_source_has_no_combination);
  schema.rule({"model.sources.coattention", "data.train"}, coattention_is_between_two);
  schema.idle_rule({"model.attention.size", "model.attention.score", "model.attention.scope",
                    "model.sources.combination", "model.sources.coattention", "data.train"},
                   nobody_reads_the_inner_size);
  schema.idle_rule({"training.recompute_layers", "model.encoder.type", "model.decoder.type"},
                   no_layers_to_recompute);
  schema.rule({"data.segments.separator", "model.encoder.type"}, segments_are_of_some_encoders);
}

}  // namespace attend::app
