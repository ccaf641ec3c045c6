#include "text/options.h"

#include <fmt/format.h>

#include "config/keys_of.h"

namespace attend::text {
namespace {

std::string model_count_problem(const TokenizerOptions& options) {
  const std::size_t expected = options.joint ? 1 : 2;
  if (options.model.empty() || options.model.size() == expected) return "";
  return options.joint
             ? "a joint vocabulary takes one model; give one path, or set joint: false"
             : "separate vocabularies take two models; give [source, target], or set joint: true";
}

std::string sampling_problem(const TokenizerOptions& options) {
  const bool can_sample = is_one_of(options.type, {TokenizerType::bpe, TokenizerType::unigram}) ||
                          !options.model.empty();
  if (options.sampling == 0.0 || can_sample) return "";
  return fmt::format("a {} model can segment a line in one way only; sampling needs bpe or unigram",
                     options.type);
}

}  // namespace

void describe(config::Schema<TokenizerOptions>& schema) {
  using Options = TokenizerOptions;
  schema.choice("type", &Options::type,
                "How SentencePiece segments a line into pieces. Not used if a model is given.");
  schema.integer(
      "vocabulary", &Options::vocabulary, config::in_range<int64_t>(5, 1'000'000),
      "Pieces of each model, the four special symbols included. A small training text may give "
      "fewer.");
  schema.flag("joint", &Options::joint,
              "One model for both languages, trained on the text of both.");
  schema.paths(
      "model", &Options::model,
      "Existing SentencePiece model to use instead of training one: a path, or [source, target] "
      "if joint is false.");
  schema.number(
      "sampling", &Options::sampling, config::in_range(0.0, 1.0),
      "Subword regularisation of the training text: the BPE-dropout probability for bpe (0.1 is "
      "usual), the smoothing of the lattice's distribution for unigram (0.2 is usual). 0 is off.");
  schema.choice(
      "normalization", &Options::normalization,
      "SentencePiece's normalisation rule. All but identity replace compatibility "
      "characters: full-width punctuation (Chinese, Japanese), sara am (Thai), ellipses. "
      "Rules with nmt_ also turn odd spaces and zero-width non-joiners (Persian, Kurdish, "
      "Indic scripts) into spaces, and remove control characters; rules with _cf fold "
      "case.");
  schema.number(
      "character_coverage", &Options::character_coverage, config::in_range(0.98, 1.0),
      "Share of the text's characters that the vocabulary must cover; 0.9995 is usual for Chinese "
      "or Japanese.");
  schema.flag(
      "byte_fallback", &Options::byte_fallback,
      "Cut a character without a piece into its UTF-8 bytes instead of <unk>. The bytes take "
      "256 pieces. They are trained only where the training text has such characters: set "
      "character_coverage below 1 too.");
  schema.integer(
      "training_lines", &Options::training_lines, config::at_least<int64_t>(1),
      "A model is trained on at most this many lines; a larger corpus is sampled at random.");
  config::KeysOf(schema, "type", &Options::type)
      .add("byte_fallback", &Options::byte_fallback, {TokenizerType::bpe, TokenizerType::unigram});
  schema.rule({"model", "joint"}, model_count_problem);
  schema.rule({"sampling", "type"}, sampling_problem);
}

}  // namespace attend::text
