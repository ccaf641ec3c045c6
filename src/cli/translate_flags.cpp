#include "cli/translate_flags.h"

#include "align/attention_json.h"
#include "app/attention/heatmap_format.h"
#include "cli/given_options.h"
#include "core/closest_name.h"
#include "core/error.h"

namespace attend::cli {

namespace {

void add_file_options(CLI::App& command, TranslateCommand& options) {
  command
      .add_option("--model", options.models,
                  "Model folder; repeat it for an ensemble, DIR:0.7 sets a weight")
      ->required()
      ->allow_extra_args(false)
      ->type_name("DIR");
  command
      .add_option(
          "--input", options.input,
          "Source lines (default -: standard input); NAME=FILE,NAME=FILE for several sources")
      ->type_name("FILE");
  command
      .add_option("--output", options.output.text,
                  "Write translations here (default -: standard output)")
      ->type_name("FILE");
  command.add_flag("--document", options.document,
                   "Translate sentences; keep lists and indentation; --markup xml, html, markdown: "
                   "keep tags; --protect all: keep numbers, URLs and the like");
  add_choice(command, "--markup", options.markup,
             "Keep the tags of the text, and move them with the words")
      ->group(kNotInHelp);
  command
      .add_flag("--copy-unknown", options.copy_unknown,
                "Copy what the vocabulary lacks from the linked source words")
      ->group(kNotInHelp);
  command
      .add_option(
          "--n-best", options.n_best,
          "Write N translations per line as \"id ||| text ||| score\"; --scores: only the best")
      ->type_name("N");
  command
      .add_flag("--scores", options.scores, "Write the best translation in the format of --n-best")
      ->group(kNotInHelp);
  command
      .add_option("--word-scores", options.output.word_scores,
                  "Write the probability of each word, one JSON object per translation")
      ->type_name("FILE")
      ->group(kNotInHelp);
  command
      .add_option("--review-below", options.output.review_below,
                  "Mark translations of less confidence than P in --word-scores")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("P")
      ->group(kNotInHelp);
  command
      .add_option("--prefix", options.prefixes,
                  "Begin each translation with the same line of this file")
      ->type_name("FILE");
  command
      .add_option("--tag", options.tag,
                  "Put this source piece before each line (a tag of data.train)")
      ->type_name("T");
  add_term_options(command, options.terms);
}

void add_scale_options(CLI::App& command, TranslateCommand& options) {
  command
      .add_option("--shard", options.shard,
                  "Translate shard I of N (or env: from RANK and WORLD_SIZE); see attend merge")
      ->type_name("I/N");
  command.add_flag("--resume", options.resume,
                   "Resume an interrupted translation (pass it on the first run too)");
}

void add_attention_options(CLI::App& command, TranslateCommand& options) {
  constexpr const char* kGroup = "Attention";
  command
      .add_option("--attention", options.output.attention,
                  "Write attention weights, one JSON object per translation; --level word: by word")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option(
          "--alignments", options.output.alignments,
          "Write word links i-j, one line per translation; --word-scores FILE: the probability of "
          "each word (--review-below P: mark unsure lines)")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--heatmaps", options.output.heatmaps, "Draw attention heatmaps into this folder")
      ->type_name("DIR")
      ->group(kGroup);
  command
      .add_option("--attention-kinds", options.kinds,
                  "Add all layers and heads of these kinds (A,B): encoder, decoder, cross, "
                  "encoder_memory, decoder_memory or all")
      ->type_name("K")
      ->group(kGroup);
  command.add_option("--level", options.level, "Show attention by piece (default) or word")
      ->check(one_of(align::level_names()))
      ->type_name("L")
      ->group(kNotInHelp);
  command
      .add_option("--heatmap-format", options.heatmap_format,
                  "Draw svg (default), png, pdf, or html: index.html with all lines")
      ->check(one_of(app::heatmap_format_names()))
      ->type_name("F")
      ->group(kGroup);
}

/// Refuses options that need one text and one translation for each line, which `option` does not
/// give.
void check_line_options(const CLI::App& given, const std::string& option) {
  refuse_given(given, {"--n-best", "--scores"},
               option + " writes one translation per line, joined from its parts");
  refuse_given(given, {"--prefix"},
               option + " translates parts of lines, and this file has an entry for each line");
  refuse_given(given, {"--attention", "--alignments", "--heatmaps", "--word-scores"},
               option +
                   " joins parts to lines, which have no attention or words of their own; put each "
                   "sentence on a line and leave out " +
                   option);
  refuse_given(given, {"--shard", "--resume"},
               option + " reads a text as a whole; split it between two lines instead");
}

void check_document(const CLI::App& given) {
  check_line_options(given, "--document");
  refuse_given(given, {"--constraints"},
               "--document translates sentences, and this file has an entry for each line");
  refuse_given(given, {"--long-lines"},
               "--document cuts long sentences, so that the whole line is translated");
}

}  // namespace

void add_translate_options(CLI::App& command, TranslateCommand& options) {
  add_file_options(command, options);
  add_search_options(command, options.search);
  add_sample_options(command, options.sampling);
  add_risk_options(command, options.risk);
  add_attention_options(command, options);
  add_scale_options(command, options);
  add_common_options(command, options.common);
  add_log_size_option(command, options.common.log);
}

void check_options(const TranslateCommand& command, const CLI::App& given) {
  if (command.document) check_document(given);
  if (command.markup) check_line_options(given, "--markup");
  const app::OutputChoices& output = command.output;
  if (output.heatmaps.empty()) {
    refuse_given(given, {"--heatmap-format"}, "it sets the format of --heatmaps; give both");
  }
  if (output.heatmaps.empty() && output.attention.empty()) {
    refuse_given(given, {"--level"},
                 "it sets the level of --attention and --heatmaps; give one of them");
    refuse_given(given, {"--attention-kinds"},
                 "it adds to --attention and --heatmaps; give one of them");
  }
  if (!command.kinds.empty() && command.models.size() > 1) {
    throw UsageError(
        "--attention-kinds shows the layers of one model, not of an ensemble; give one --model");
  }
  if (output.word_scores.empty())
    refuse_given(given, {"--review-below"}, "it marks lines in --word-scores; give both");
  if (command.by_blocks() && (output.need_attention() || !output.word_scores.empty())) {
    throw UsageError(
        "--shard and --resume write only text; leave out --attention, --alignments, --heatmaps "
        "and --word-scores");
  }
  if (command.resume && command.input == "-")
    throw UsageError(
        "--resume reads the input again, which standard input does not allow; give "
        "--input FILE");
  if (!command.tag.empty() && output.need_attention()) {
    throw UsageError(
        "--tag adds a piece that is not part of the line, so --attention, --alignments and "
        "--heatmaps have no column for it; leave one of them out");
  }
  if (command.sampling.sample) {
    refuse_given(
        given, {"--beam"},
        "--sample draws outputs without a search; leave one of them out (--n-best sets the "
        "number of outputs)");
    refuse_given(given, {"--mbr-weights"},
                 "samples are already weighted by probability, because probable ones are drawn "
                 "more often; leave out either option");
    refuse_given(given, {"--constraints", "--glossary"},
                 "the search must find their phrases, but --sample draws outputs without a search; "
                 "leave one of them out");
  }
}

}  // namespace attend::cli
