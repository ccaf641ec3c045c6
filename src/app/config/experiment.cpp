#include "app/config/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "config/load.h"

namespace attend::app {
namespace {

using model::CoattentionKind;
using nn::DistributionKind;
using nn::ScopeKind;
using nn::ScoreKind;

template <class Family>
bool encoder_is(const Experiment& experiment) {
  return std::holds_alternative<Family>(experiment.model.encoder);
}

const model::RecurrentDecoderOptions* recurrent_decoder(const Experiment& experiment) {
  return std::get_if<model::RecurrentDecoderOptions>(&experiment.model.decoder);
}

std::string guidance_needs_attention(const Experiment& experiment) {
  const bool guided = !experiment.training.guided_alignment.links.empty();
  if (!guided || model::attends(experiment.model)) return "";
  return fmt::format(
      "wiring {} has no attention that links could guide; choose another wiring, or set "
      "guided_alignment.links: null",
      model::wiring_name(experiment.model.decoder));
}

std::string faithfulness_needs_weights(const Experiment& experiment) {
  const train::FaithfulnessOptions& options = experiment.training.attention_faithfulness;
  if (options.weight == 0.0) return "";
  const nn::AttentionOptions& attention = experiment.model.attention;
  const auto off = [](const std::string& why) { return why + ", or set its weight: 0"; };
  if (!model::attends(experiment.model))
    return off(fmt::format("wiring {} has no attention to replace; choose another wiring",
                           model::wiring_name(experiment.model.decoder)));
  if (data::count_sources(experiment.data) > 1)
    return off("several sources have an attention each; give one source");
  if (attention.per_feature)
    return off("per_feature has no weight for a whole position; set per_feature: false");
  if (attention.distribution == nn::DistributionKind::hard)
    return off("hard attention draws positions in training; choose another distribution");
  const model::StackDecoderOptions* const stack = model::stack_of(experiment.model.decoder);
  const bool deep = stack != nullptr && stack->layers > 1;
  if (deep && options.replacement != train::WeightReplacement::uniform)
    return off(
        fmt::format("{} needs the weights of one layer, but the decoder has {}; choose "
                    "replacement: uniform",
                    enum_name(options.replacement), stack->layers));
  return "";
}

std::string coverage_needs_attention(const Experiment& experiment) {
  const bool penalised = experiment.decoding.coverage_penalty > 0.0;
  if (!penalised || model::attends(experiment.model)) return "";
  return fmt::format(
      "wiring {} has no attention that could cover the source; choose another wiring, or set "
      "coverage_penalty: 0",
      model::wiring_name(experiment.model.decoder));
}

std::string unequal_numbers_of_files(const std::vector<std::string>& files,
                                     const Experiment& experiment) {
  const std::size_t links = files.size();
  const std::size_t texts = experiment.data.train.size();
  if (links == 0 || texts == 0 || links == texts) return "";
  return fmt::format("{} of links, but {} of training text; each pair of texts needs a file",
                     links == 1 ? "1 file" : fmt::format("{} files", links),
                     texts == 1 ? "1 pair" : fmt::format("{} pairs", texts));
}

std::string guided_files_are_unequal(const Experiment& experiment) {
  return unequal_numbers_of_files(experiment.training.guided_alignment.links, experiment);
}

std::string term_files_are_unequal(const Experiment& experiment) {
  return unequal_numbers_of_files(experiment.data.terms.links, experiment);
}

std::string two_vocabularies_cannot_be_tied(const Experiment& experiment) {
  const bool tied = experiment.model.tie == model::Tie::all && !experiment.tokenizer.joint;
  // Adopted tokenizers come from the initial model, whose weights are checked when they are loaded.
  const bool adopted = !experiment.training.init_from.empty() && experiment.tokenizer.model.empty();
  if (!tied || adopted) return "";
  return "one matrix cannot hold two vocabularies; set tokenizer.joint: true, or tie: decoder";
}

/// R-Drop compares two passes, which differ only if the model draws random numbers.
std::string nothing_for_r_drop_to_compare(const Experiment& experiment) {
  const model::DropoutOptions& dropout = experiment.model.dropout;
  const double most =
      std::max({dropout.embedding, dropout.layer, dropout.recurrent, dropout.attention,
                dropout.feed_forward, dropout.output, dropout.word.source, dropout.word.target});
  const bool draws =
      most > 0.0 || experiment.model.attention.distribution == DistributionKind::hard;
  if (experiment.training.r_drop == 0.0 || draws) return "";
  return "R-Drop compares two passes with different dropout, but this model has none; set a "
         "rate in model.dropout (for example output: 0.3), or set r_drop: 0";
}

std::string r_drop_needs_two_masks(const Experiment& experiment) {
  if (experiment.training.r_drop == 0.0 ||
      experiment.model.dropout.embedding_by == model::MaskPer::token)
    return "";
  return "R-Drop repeats each sentence in one batch, so embedding_by: type gives both passes "
         "the same masks; choose embedding_by: token, or set r_drop: 0";
}

std::string segments_are_of_some_encoders(const Experiment& experiment) {
  const bool separated = !experiment.data.segments.separator.empty();
  const bool memory = encoder_is<model::MemoryEncoderOptions>(experiment);
  if (separated == (memory || encoder_is<model::HierarchicalEncoderOptions>(experiment))) return "";
  if (separated) {
    return "this encoder reads whole lines, so a separator would have no effect; leave it out, or "
           "choose encoder.type: memory or hierarchical";
  }
  return fmt::format("encoder.type: {} reads {}; give their separator, such as separator: \"|||\"",
                     model::type_name(experiment.model.encoder),
                     memory ? "facts and a question" : "segments");
}

bool reads_several(const Experiment& experiment) {
  return data::count_sources(experiment.data) > 1;
}

std::string sources_take_some_models(const Experiment& experiment) {
  if (!reads_several(experiment)) return "";
  const bool reads = encoder_is<model::RecurrentEncoderOptions>(experiment) ||
                     encoder_is<model::TransformerEncoderOptions>(experiment);
  const model::RecurrentDecoderOptions* const decoder = recurrent_decoder(experiment);
  if (reads && decoder != nullptr && decoder->attends()) return "";
  return fmt::format(
      "{} sources are given, and several sources need encoder.type: recurrent or transformer and a "
      "decoder.type: recurrent that attends to them; choose these, or give source: FILE",
      data::count_sources(experiment.data));
}

std::string sources_are_weighed_once(const Experiment& experiment) {
  if (!reads_several(experiment)) return "";
  const nn::AttentionOptions& attention = experiment.model.attention;
  const bool by_position = attention.scope != ScopeKind::global ||
                           is_one_of(attention.score, {ScoreKind::coverage, ScoreKind::location,
                                                       ScoreKind::location_aware});
  if (by_position) {
    return "several sources have no common positions; choose scope: global, and a score that reads "
           "neither positions nor the previous weights";
  }
  const bool once = attention.heads == 1 && !attention.per_feature;
  const bool joined = experiment.model.sources.combination != nn::Combination::flat;
  if (attention.distribution != DistributionKind::hard && (once || !joined)) return "";
  return "several sources do not support hard attention, and heads or per_feature need "
         "sources.combination: flat; choose another distribution, and set attention.heads: 1 "
         "and per_feature: false, or choose sources.combination: flat";
}

std::string sources_hand_no_states_over(const Experiment& experiment) {
  const model::RecurrentDecoderOptions* const decoder = recurrent_decoder(experiment);
  const bool copies = decoder != nullptr && decoder->bridge == model::BridgeKind::copy;
  if (!copies || !reads_several(experiment)) return "";
  return "bridge: copy copies the states of one encoder, but there are several sources; choose "
         "bridge: last or mean";
}

std::string guidance_is_of_one_source(const Experiment& experiment) {
  const bool guided = !experiment.training.guided_alignment.links.empty();
  if (!guided || !reads_several(experiment)) return "";
  return "links refer to one source, but there are several; leave guided_alignment.links out";
}

std::string words_hide_symbols(const Experiment& experiment, bool is_needed, const char* symbols,
                               const char* section) {
  const bool words = experiment.tokenizer.type == text::TokenizerType::word;
  if (!is_needed || !words || !experiment.tokenizer.model.empty()) return "";
  return fmt::format(
      "a word tokenizer does not separate {} from the blanks and marks beside them; choose "
      "tokenizer.type: bpe, unigram or char, or leave {} out",
      symbols, section);
}

std::string words_hide_placeholders(const Experiment& experiment) {
  return words_hide_symbols(experiment, !experiment.data.protect.empty(), "placeholders",
                            "protect");
}

std::string words_hide_terms(const Experiment& experiment) {
  return words_hide_symbols(experiment, !experiment.data.terms.empty(), "the symbols of terms",
                            "terms");
}

std::string sources_cannot_write_terms(const Experiment& experiment) {
  const bool apart = !experiment.tokenizer.joint && experiment.tokenizer.model.empty() &&
                     experiment.training.init_from.empty();
  if (experiment.data.terms.empty() || !apart) return "";
  return "a tokenizer of the source alone cannot write the translations of terms; set "
         "tokenizer.joint: true, or leave terms out";
}

std::string links_are_of_one_line(const Experiment& experiment) {
  const bool guided = !experiment.training.guided_alignment.links.empty();
  if (!guided || experiment.data.augment.two_sentences == 0.0) return "";
  return "guided_alignment.links has links within each line; set two_sentences to 0";
}

std::string one_source_has_no_combination(const Experiment& experiment) {
  const bool changed = !(experiment.model.sources == model::SourcesOptions());
  if (!changed || reads_several(experiment) || experiment.data.train.empty()) return "";
  return "it is for models of several sources, but data.train has one; leave it out, or give "
         "source: {NAME: FILE, NAME: FILE}";
}

std::string inner_size_is_unused(const Experiment& experiment) {
  const nn::AttentionOptions& attention = experiment.model.attention;
  const model::SourcesOptions& sources = experiment.model.sources;
  const bool joins =
      sources.combination == nn::Combination::hierarchical ||
      is_one_of(sources.coattention, {CoattentionKind::alternating, CoattentionKind::parallel});
  const bool read = nn::reads_size(attention) || (joins && reads_several(experiment));
  if (read || attention.size == 0 || experiment.data.train.empty()) return "";
  return fmt::format(
      "size would have no effect with score {} and scope {}; it is the inner size of additive "
      "scores, concat, kernel, scope local_p, and of several sources with sources.combination: "
      "hierarchical or sources.coattention: alternating or parallel. Leave it out, or choose "
      "one of these",
      attention.score, attention.scope);
}

std::string coattention_is_between_two(const Experiment& experiment) {
  const std::size_t sources = data::count_sources(experiment.data);
  if (experiment.model.sources.coattention == CoattentionKind::none || sources < 3) return "";
  return fmt::format(
      "coattention is between two sources, but data.train has {}; give two, or set coattention: "
      "none",
      sources);
}

std::string no_layers_to_recompute(const Experiment& experiment) {
  const bool is_stack = encoder_is<model::TransformerEncoderOptions>(experiment) ||
                        model::stack_of(experiment.model.decoder) != nullptr;
  if (!experiment.training.recompute_layers || is_stack) return "";
  return fmt::format(
      "it would have no effect with encoder.type {} and decoder.type {}; only layers of "
      "encoder.type transformer and decoder.type transformer, ssru, gru or lstm can be "
      "recomputed. Leave it out, or choose one of these",
      model::type_name(experiment.model.encoder), model::type_name(experiment.model.decoder));
}

/// The error message; empty if the head to be guided exists.
std::string guided_head_is_missing(const Experiment& experiment) {
  const train::GuidedAlignmentOptions& guided = experiment.training.guided_alignment;
  const int64_t heads = experiment.model.attention.heads;
  if (guided.head == 0 || guided.links.empty()) return "";
  if (heads == 1)
    return "the attention to the source has a single head (model.attention.heads); leave head out";
  if (guided.head <= heads) return "";
  return fmt::format(
      "the attention to the source has {} heads (model.attention.heads); choose one of them, or 0 "
      "for their mean",
      heads);
}

bool takes_any(const train::SnapshotCounts& counts) {
  return counts.last > 0 || counts.best > 0;
}

bool never_ends(const train::TrainingOptions& options) {
  return options.max_epochs == 0 && options.max_updates == 0 && options.max_minutes == 0.0;
}

/// Adds a rule that rejects a setting (`asked`) if it lacks the validation set that it needs.
void add_validation_rule(config::Schema<Experiment>& schema, std::vector<std::string> keys,
                         bool (*asked)(const train::TrainingOptions&), const char* message) {
  keys.emplace_back("data.dev");
  schema.training_rule(std::move(keys), [asked, message](const Experiment& experiment) {
    const bool validates = !experiment.data.dev.empty() || experiment.data.train.empty();
    return std::string(validates || !asked(experiment.training) ? "" : message);
  });
}

void add_validation_rules(config::Schema<Experiment>& schema) {
  using Options = train::TrainingOptions;
  add_validation_rule(
      schema, {"training.keep.last", "training.keep.best"},
      [](const Options& options) { return takes_any(options.keep); },
      "snapshots are taken at validations, but there is no validation set (data.dev); give one, or "
      "leave keep out");
  add_validation_rule(
      schema, {"training.average.last", "training.average.best"},
      [](const Options& options) { return takes_any(options.average); },
      "an average is compared with the best weights on the validation set, but there is none "
      "(data.dev); give one, or leave average out");
  add_validation_rule(
      schema, {"training.patience"}, [](const Options& options) { return options.patience > 0; },
      "patience counts validations, but there is no validation set (data.dev); give one, or set "
      "patience: 0");
  add_validation_rule(
      schema, {"training.schedule"},
      [](const Options& options) { return options.schedule == train::ScheduleKind::plateau; },
      "plateau needs a validation set (data.dev), but there is none; give one, or choose "
      "another schedule");
  add_validation_rule(
      schema, {"training.max_epochs", "training.max_updates", "training.max_minutes"}, never_ends,
      "all are 0, and patience has no effect without a validation set, so training would never "
      "end; set one of them");
}

}  // namespace

void describe(config::Schema<Experiment>& schema) {
  schema.integer(
      "seed", &Experiment::seed, config::at_least(0),
      "Seed of all random numbers: initial weights, order of the data, dropout, subword sampling.");
  schema.section("data", &Experiment::data, "The texts.");
  schema.section("tokenizer", &Experiment::tokenizer,
                 "How lines are cut into pieces (SentencePiece).");
  schema.section("model", &Experiment::model, "The network.");
  schema.section("training", &Experiment::training, "How the network is trained.");
  schema.section("decoding", &Experiment::decoding,
                 "How the trained network translates; command-line options override these keys.");
  schema.rule({"training.guided_alignment.links", "model.decoder.wiring", "model.decoder.type"},
              guidance_needs_attention);
  schema.rule(
      {"training.attention_faithfulness.weight", "training.attention_faithfulness.replacement",
       "model.decoder.wiring", "model.decoder.type", "model.decoder.layers",
       "model.attention.per_feature", "model.attention.distribution", "data.train"},
      faithfulness_needs_weights);
  schema.rule({"decoding.coverage_penalty", "model.decoder.wiring"}, coverage_needs_attention);
  schema.rule({"training.guided_alignment.links", "data.train"}, guided_files_are_unequal);
  schema.rule({"data.terms.links", "data.train"}, term_files_are_unequal);
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
  schema.rule({"data.augment.two_sentences", "training.guided_alignment.links"},
              links_are_of_one_line);
  schema.rule({"data.protect", "tokenizer.type"}, words_hide_placeholders);
  schema.rule({"data.terms", "tokenizer.type"}, words_hide_terms);
  schema.rule({"data.terms", "tokenizer.joint"}, sources_cannot_write_terms);
  schema.rule({"model.sources", "data.train"}, one_source_has_no_combination);
  schema.rule({"model.sources.coattention", "data.train"}, coattention_is_between_two);
  schema.idle_rule({"model.attention.size", "model.attention.score", "model.attention.scope",
                    "model.sources.combination", "model.sources.coattention", "data.train"},
                   inner_size_is_unused);
  schema.idle_rule({"training.recompute_layers", "model.encoder.type", "model.decoder.type"},
                   no_layers_to_recompute);
  schema.rule({"data.segments.separator", "model.encoder.type"}, segments_are_of_some_encoders);
  schema.rule({"training.guided_alignment.head", "model.attention.heads",
               "training.guided_alignment.links"},
              guided_head_is_missing);
  add_validation_rules(schema);
}

void settle(Experiment& experiment, const config::SetAt& set_at) {
  const auto is_set = [&](const char* key) { return set_at.contains(key); };
  const model::StackDecoderOptions* const stack = model::stack_of(experiment.model.decoder);
  nn::AttentionOptions& attention = experiment.model.attention;
  if (stack != nullptr && !is_set("model.attention.score")) attention.score = ScoreKind::scaled_dot;
  if (stack != nullptr && !is_set("model.attention.heads")) attention.heads = stack->heads;
  if (experiment.data.train.empty() || !experiment.data.dev.empty()) return;
  if (!is_set("training.schedule")) experiment.training.schedule = train::ScheduleKind::constant;
  if (!is_set("training.patience")) experiment.training.patience = 0;
}

}  // namespace attend::app
