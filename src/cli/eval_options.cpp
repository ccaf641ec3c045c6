#include "cli/eval_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/lines/text_lines.h"
#include "cli/given_options.h"
#include "core/closest_name.h"
#include "core/error.h"

namespace attend::cli {

namespace {

bool is_model_metric(const std::string& name) {
  return name == kLoss || name == kAccuracy;
}

std::vector<std::string> all_metric_names() {
  auto names = metrics::metric_names();
  names.emplace_back(kLoss);
  names.emplace_back(kAccuracy);
  return names;
}

CLI::Range range(int64_t least, int64_t most) {
  CLI::Range range(least, most);
  range.description("");
  return range;
}

// option_text() hides which options exclude each other; the help has no room for that.
void add_file_options(CLI::App& command, EvalCommand& options) {
  auto* hypothesis = command.add_option("--hypothesis", options.hypotheses,
                                        "Score these translations; each file is a system");
  hypothesis->option_text("FILE ...");
  command
      .add_option("--reference", options.references,
                  "Reference translations, one or more files (required)")
      ->required()
      ->option_text("FILE ...");
  command
      .add_option("--model", options.models,
                  "Translate --source with this model or ensemble instead of --hypothesis")
      ->excludes(hypothesis)
      ->option_text("DIR ...");
  command
      .add_option("--source", options.source,
                  "Source text for --model and --by-length; --protect K: keep numbers and the like")
      ->option_text("FILE");
}

void add_metric_options(CLI::App& command, EvalCommand& options) {
  command
      .add_option(
          "--metrics", options.metrics,
          fmt::format("Comma-separated list of {} (default bleu)", join(all_metric_names())))
      ->delimiter(',')
      ->check(one_of(all_metric_names()))
      ->type_name("M");
  command.add_flag("--lowercase", options.metric_options.lowercase, "Ignore case");
  command.add_flag("--sentence-level", options.metric_options.sentence_level,
                   "Score each line on its own");
  command.add_flag("--by-length", options.by_length,
                   "Score by number of source words (default: of the first reference)");
  command.add_flag("--json", options.json, "Print a JSON list in full precision");
}

void add_bleu_options(CLI::App& command, EvalCommand& options) {
  auto& bleu = options.metric_options.bleu;
  command
      .add_option("--tokenize", bleu.tokenizer,
                  fmt::format("BLEU tokenizer: {} (default 13a)", join(metrics::tokenizer_names())))
      ->check(one_of(metrics::tokenizer_names()))
      ->type_name("T");
  command
      .add_option("--smooth", options.smooth,
                  fmt::format("BLEU smoothing: {} (default exp)", join(metrics::smoothing_names())))
      ->check(one_of(metrics::smoothing_names()))
      ->type_name("S");
  command
      .add_option("--smooth-value", bleu.smooth_value,
                  "Value for --smooth floor (default 0.1) or add-k (default 1)")
      ->type_name("X");
}

void add_chrf_options(CLI::App& command, EvalCommand& options) {
  auto& chrf = options.metric_options.chrf;
  constexpr int64_t kMost = metrics::Chrf::kMaxOrder;
  command
      .add_option("--chrf-char-order", chrf.char_order,
                  "Longest character n-gram of chrF (default 6)")
      ->check(range(0, kMost))
      ->type_name("N");
  command
      .add_option("--chrf-word-order", chrf.word_order,
                  "Longest word n-gram of chrF; 2: chrF++ (default 0)")
      ->check(range(0, kMost))
      ->type_name("N");
  command.add_option("--chrf-beta", chrf.beta, "Weight of recall in chrF (default 2)")
      ->type_name("B");
  command.add_flag("--chrf-whitespace", chrf.whitespace, "Include whitespace in chrF");
}

void add_ter_options(CLI::App& command, EvalCommand& options) {
  auto& ter = options.metric_options.ter;
  command.add_flag("--ter-normalized", ter.normalized, "Split off punctuation in TER");
  command.add_flag("--ter-no-punct", ter.no_punct, "Ignore punctuation in TER");
  command.add_flag("--ter-asian", ter.asian_support,
                   "Apply --ter-normalized and --ter-no-punct to Asian characters too");
  command.add_flag("--ter-case", ter.case_sensitive, "Case-sensitive TER");
}

void add_resampling_options(CLI::App& command, EvalCommand& options) {
  command.add_flag("--confidence", options.confidence,
                   "Add 95% confidence intervals by bootstrap resampling");
  command
      .add_option("--paired", options.paired,
                  "Test each system against the first: bootstrap or randomization")
      ->check(one_of({"bootstrap", "randomization"}))
      ->type_name("T");
  command
      .add_option("--trials", options.trials,
                  "Number of random samples (default 1000; randomization: 10000)")
      ->check(range(1, 10'000'000))
      ->type_name("N");
}

void check_resampling(const EvalCommand& command) {
  const bool paired = !command.paired.empty();
  if (command.by_length && (command.metric_options.sentence_level || paired || command.confidence))
    throw UsageError(
        "--by-length cannot be combined with --sentence-level, --confidence or --paired");
  if (command.metric_options.sentence_level && (paired || command.confidence)) {
    throw UsageError(
        "--sentence-level cannot be combined with --confidence or --paired, which need a corpus "
        "score");
  }
  if (command.trials && !paired && !command.confidence) {
    throw UsageError("--trials needs --confidence or --paired");
  }
  if (!paired) return;
  if (!command.models.empty()) {
    throw UsageError(
        "--paired compares --hypothesis files; translate with each model first, then give the "
        "files");
  }
  const bool several = std::ranges::any_of(command.hypotheses, [&](const std::string& path) {
    return path != command.hypotheses.front();
  });
  if (!several) {
    throw UsageError("--paired needs at least two --hypothesis files; the first is the baseline");
  }
}

void check_files(const EvalCommand& command) {
  if (command.hypotheses.empty()) {
    throw UsageError("nothing to score; give --hypothesis, or --model and --source");
  }
  if (!command.source.empty() && !command.by_length)
    throw UsageError("--source has no effect with --hypothesis; leave it out, or add --by-length");
  for (const char* metric : {kLoss, kAccuracy}) {
    if (command.wants(metric))
      throw UsageError(fmt::format("--metrics {} needs --model and --source", metric));
  }
}

// Throws UsageError for a file that can be read only once (a pipe) if a metric reads it twice.
void check_model(const EvalCommand& command) {
  if (command.source.empty()) throw UsageError("--model needs --source, the text to translate");
  if (command.by_length && !app::can_read_again(command.source))
    throw UsageError("--by-length reads the source twice; give a regular file");
  for (const char* metric : {kLoss, kAccuracy}) {
    if (!command.wants(metric)) continue;
    if (command.models.size() > 1)
      throw UsageError(fmt::format("--metrics {} takes a single --model", metric));
    std::vector<std::string> files = command.references;
    files.push_back(command.source);
    const auto piped = std::ranges::find_if_not(
        files, [](const std::string& file) { return app::can_read_again(file); });
    if (piped == files.end()) continue;
    throw UsageError(fmt::format(
        "--metrics {} reads its files twice, which {} does not allow; give a regular file", metric,
        *piped));
  }
}

// Rejects options of metrics that are not computed.
void check_metric_options(const EvalCommand& command, const CLI::App& given) {
  const char* const no_bleu = "only BLEU uses it; add bleu to --metrics";
  if (!command.wants("bleu") && command.wants("length")) {
    refuse_given(given, {"--smooth", "--smooth-value"}, no_bleu);
  } else if (!command.wants("bleu")) {
    refuse_given(given, {"--tokenize", "--smooth", "--smooth-value"}, no_bleu);
  }
  if (!command.wants("chrf")) {
    refuse_given(given,
                 {"--chrf-char-order", "--chrf-word-order", "--chrf-beta", "--chrf-whitespace"},
                 "only chrF uses it; add chrf to --metrics");
  }
  if (!command.wants("ter")) {
    refuse_given(given, {"--ter-normalized", "--ter-no-punct", "--ter-asian", "--ter-case"},
                 "only TER uses it; add ter to --metrics");
  }
  if (command.smooth != "floor" && command.smooth != "add-k") {
    refuse_given(given, {"--smooth-value"}, "it needs --smooth floor or --smooth add-k");
  }
}

void check_search_options(const EvalCommand& command, const CLI::App& given) {
  if (command.models.empty()) {
    refuse_given(given, search_option_names(),
                 "--hypothesis needs no translation; leave it out, or give --model and --source");
  }
  if (!command.wants_text_metric()) {
    std::vector<std::string> options = search_option_names();
    // Loss and accuracy are computed in batches as well.
    std::erase(options, "--batch-size");
    std::erase(options, "--batch-unit");
    options.emplace_back("--lowercase");
    refuse_given(
        given, options,
        "loss and accuracy are measured without translating; leave it out, or add a metric of "
        "texts, such as bleu");
  }
}

}  // namespace

bool EvalCommand::wants(const std::string& metric) const {
  return std::ranges::count(metrics, metric) > 0;
}

bool EvalCommand::wants_text_metric() const {
  return !std::ranges::all_of(metrics, is_model_metric);
}

void add_eval_options(CLI::App& command, EvalCommand& options) {
  add_file_options(command, options);
  add_metric_options(command, options);
  add_bleu_options(command, options);
  add_chrf_options(command, options);
  add_ter_options(command, options);
  add_resampling_options(command, options);
  add_search_options(command, options.search);
  add_common_options(command, options.common);
}

void check(const EvalCommand& command, const CLI::App& given) {
  if (command.models.empty()) {
    check_files(command);
  } else {
    check_model(command);
  }
  check_resampling(command);
  check_metric_options(command, given);
  check_search_options(command, given);
}

}  // namespace attend::cli
