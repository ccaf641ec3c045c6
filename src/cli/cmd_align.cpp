#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/align/align_pairs.h"
#include "app/align/link_report.h"
#include "app/align/statistical_pairs.h"
#include "app/align/vote_links.h"
#include "app/attention/heatmap_format.h"
#include "cli/align_flags.h"
#include "cli/commands.h"
#include "cli/given_options.h"
#include "cli/line_progress.h"
#include "cli/start_runtime.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/output_place.h"

namespace attend::cli {

namespace {

void print_result(const std::string& line) {
  OutputFile output("-");
  output.write_line(line);
  output.commit();
}

void judge_given_links(const AlignCommand& command) {
  check_log_file(command.common.log, {},
                 {command.links, command.gold, command.files.source, command.files.target});
  set_up_log(command.common.log);
  const align::LinkFile links(command.links, align::LinkFormat::kPharaoh);
  const align::LinkFile gold(command.gold, align::LinkFormat::kGold);
  if (!command.files.empty()) {
    const app::MeasuredPairs pairs = app::measure_pairs(command.files);
    app::check_links_fit(links, pairs);
    app::check_links_fit(gold, pairs);
  }
  const auto judge = align::parse_judge(command.judge);
  print_result(app::error_rate_report(app::judge_links(links, gold, judge), judge));
}

bool wants_page(const AlignCommand& command) {
  return !command.heatmaps.empty() && !app::parse_heatmap_format(command.heatmap_format);
}

std::string title_of_pairs(const std::filesystem::path& target) {
  return target == "-" ? "Alignments" : "Alignments of " + target.filename().string();
}

app::AlignmentChoices alignment_choices(const AlignCommand& command) {
  return {.output = command.output,
          .jsonl = command.format == "jsonl",
          .level = align::parse_level(command.level),
          .heatmaps = command.heatmaps,
          .heatmap_format = app::parse_heatmap_format(command.heatmap_format),
          .page_title = title_of_pairs(command.files.target)};
}

/// The map of --layer and --head; unset: the model's default.
std::optional<decode::CrossMap> given_map(const AlignCommand& command) {
  if (!command.layer && command.head.empty()) return std::nullopt;
  const bool is_number = !command.head.empty() && command.head != kBest && command.head != kMean;
  return decode::CrossMap{command.layer.value_or(0),
                          is_number ? static_cast<std::size_t>(std::stoull(command.head)) : 0};
}

app::AlignmentReading alignment_reading(const AlignCommand& command) {
  app::AlignmentReading reading{.method = app::alignment_method(command.method),
                                .saliency = {},
                                .seed = command.common.seed,
                                .threshold = command.threshold,
                                .shift = command.shift,
                                .batch = command.batch,
                                .map = given_map(command),
                                .kinds = command.kinds};
  reading.saliency.samples = command.saliency_samples.value_or(0);
  return reading;
}

app::AlignPairsOptions pairs_options(const AlignCommand& command) {
  app::AlignPairsOptions options{.model = command.model,
                                 .reverse = std::nullopt,
                                 .compared_model = command.compared_model,
                                 .files = command.files,
                                 .reading = alignment_reading(command),
                                 .best_map = command.head == kBest,
                                 .output = alignment_choices(command),
                                 .gold = command.gold,
                                 .judge = align::parse_judge(command.judge)};
  if (!command.reverse_model.empty()) {
    options.reverse = app::ReverseDirection{command.reverse_model, std::nullopt};
    if (command.symmetrize != kMutual)
      options.reverse->how = align::parse_symmetrization(command.symmetrize);
  }
  return options;
}

// If the links go to standard output, the error rate goes to standard error, even with --quiet.
void report_error_rate(const AlignCommand& command, const align::LinkCounts& counts) {
  const std::string report = app::error_rate_report(counts, align::parse_judge(command.judge));
  if (is_same_output(command.output, "-")) {
    log::report(report);
  } else {
    print_result(report);
  }
}

std::optional<align::LinkCounts> align_pairs_shown(const AlignCommand& command,
                                                   torch::Device device) {
  CommandProgress progress(command.common.log.quiet, command.output);
  app::AlignPairsOptions options = pairs_options(command);
  options.report = progress.reporter();
  return app::align_pairs(options, device);
}

app::WordLinkOptions word_link_options(const AlignCommand& command) {
  return {.output = command.output,
          .jsonl = command.format == "jsonl",
          .gold = command.gold,
          .judge = align::parse_judge(command.judge)};
}

std::optional<align::LinkCounts> align_statistically_shown(const AlignCommand& command) {
  CommandProgress progress(command.common.log.quiet);
  app::StatisticalPairsOptions options;
  options.files = command.files;
  options.stems = command.stems;
  options.samplers = command.samplers;
  options.priors = command.priors;
  options.save_priors = command.save_priors;
  options.seed = command.common.seed.value_or(options.seed);
  if (!command.symmetrize.empty() && command.symmetrize != kMutual)
    options.how = align::parse_symmetrization(command.symmetrize);
  options.threshold = command.threshold;
  options.output = word_link_options(command);
  options.report = progress.reporter();
  return app::align_statistically(options);
}

std::optional<align::LinkCounts> join_votes_shown(const AlignCommand& command) {
  CommandProgress progress(command.common.log.quiet, command.output);
  return app::join_votes({.files = command.files,
                          .votes = command.votes,
                          .threshold = command.threshold,
                          .output = word_link_options(command),
                          .report = progress.reporter()});
}

std::optional<align::LinkCounts> align_shown(const AlignCommand& command, torch::Device device) {
  if (command.method == kStatistical) return align_statistically_shown(command);
  if (command.method == kVote) return join_votes_shown(command);
  return align_pairs_shown(command, device);
}

void align_text(const AlignCommand& command) {
  std::vector<std::string> inputs = {command.files.source, command.files.target, command.gold,
                                     command.priors};
  inputs.insert(inputs.end(), command.votes.begin(), command.votes.end());
  check_log_file(command.common.log, {command.output, command.save_priors}, inputs);
  check_inputs_kept({command.output, command.save_priors}, inputs);
  const runtime::Runtime runtime = start_runtime(command.common);
  const auto counts = align_shown(command, runtime.device);
  if (counts) report_error_rate(command, *counts);
}

void require(const std::string& value, const char* name) {
  if (!value.empty()) return;
  throw UsageError(fmt::format(
      "{} is missing; give --model, --source and --target, or --links and --gold", name));
}

void require_pairs(const AlignCommand& command) {
  if (!command.files.source.empty() && !command.files.target.empty()) return;
  throw UsageError(fmt::format("--method {} needs both --source and --target", command.method));
}

void refuse(bool wrong, const char* message) {
  if (wrong) throw UsageError(message);
}

void check_given_links(const AlignCommand& command, const CLI::App& given) {
  require(command.gold, "--gold");
  refuse(
      command.files.source.empty() != command.files.target.empty(),
      "--links are checked against the sentences only with both --source and --target; give both "
      "or neither");
  refuse_given(given,
               {"--model",
                "--reverse-model",
                "--symmetrize",
                "--method",
                "--saliency-samples",
                "--threshold",
                "--shift",
                "--batch-size",
                "--batch-unit",
                "--output",
                "--format",
                "--level",
                "--heatmaps",
                "--heatmap-format",
                "--compare-model",
                "--layer",
                "--head",
                "--attention-kinds",
                "--stem",
                "--samplers",
                "--priors",
                "--save-priors",
                "--votes"},
               "--links is evaluated without a model or heatmaps, and prints its result; leave out "
               "either --links or these options");
}

void check_outputs(const AlignCommand& command, const CLI::App& given) {
  if (command.heatmaps.empty()) {
    refuse_given(given, {"--heatmap-format"}, "it sets the format of --heatmaps; give both");
  }
  if (command.format == "jsonl" && command.gold.empty() && !wants_page(command)) {
    refuse_given(given, {"--threshold"},
                 "it selects links, but --format jsonl writes all weights; leave one of them out");
  }
  if (command.format != "jsonl" && command.heatmaps.empty()) {
    refuse_given(given, {"--attention-kinds"},
                 "it adds to --format jsonl and --heatmaps; give one of them");
  }
}

void check_method(const AlignCommand& command) {
  const app::AlignmentMethod& method = app::alignment_method(command.method);
  refuse(command.shift.has_value() && !method.by_steps,
         "--shift needs --method attention, contributions or alti");
  refuse(command.layer && !method.by_steps,
         "--layer needs --method attention, contributions or alti");
  refuse(!command.head.empty() && !method.by_heads,
         "--head needs --method attention or contributions");
  refuse(command.head == kBest && command.method != "attention",
         "--head best compares attention; it needs --method attention");
  refuse(command.head == kBest && command.gold.empty(),
         "--head best needs --gold to compare the heads with");
  refuse(command.saliency_samples.has_value() && command.method != "saliency",
         "--saliency-samples needs --method saliency");
}

/// Refuses the options of models, and those of other methods, with --method statistical and vote.
void check_without_model(const AlignCommand& command, const CLI::App& given) {
  require_pairs(command);
  const std::string why =
      fmt::format("--method {} reads no model and aligns words", command.method);
  refuse_given(given,
               {"--model", "--reverse-model", "--compare-model", "--saliency-samples", "--shift",
                "--layer", "--head", "--attention-kinds", "--batch-size", "--batch-unit", "--level",
                "--heatmaps", "--heatmap-format"},
               why);
  const bool weights = command.format == "jsonl" && command.gold.empty();
  if (weights) {
    refuse_given(given, {"--threshold", "--symmetrize"},
                 "it selects links, but --format jsonl writes all weights; leave one of them out");
  }
  if (command.method == kVote) {
    refuse(command.votes.empty(), "--method vote needs --votes, the files to join");
    refuse_given(given, {"--symmetrize", "--stem", "--samplers", "--priors", "--save-priors"},
                 "--method vote joins given links");
  } else {
    refuse_given(given, {"--votes"}, "only --method vote joins links; leave it out");
  }
}

void check_models(const AlignCommand& command) {
  const bool two_ways = !command.symmetrize.empty();
  refuse(two_ways && command.reverse_model.empty(),
         "--symmetrize joins the links of two models; give the target-to-source model as "
         "--reverse-model");
  refuse(!two_ways && !command.reverse_model.empty(),
         "--reverse-model needs --symmetrize, the way to join the links of both models");
  refuse(two_ways && command.level == "piece",
         "--symmetrize joins word links, because two models may have different pieces; leave out "
         "--level piece");
  refuse(two_ways && command.format == "jsonl" && command.gold.empty() && !wants_page(command),
         "--format jsonl writes the weights of --model, so the links of --symmetrize would have no "
         "effect; leave one of them out, or give --gold");
  refuse(!command.compared_model.empty() && !wants_page(command),
         "--compare-model needs --heatmaps DIR --heatmap-format html, the page that shows both "
         "models");
}

void check_with_model(const AlignCommand& command, const CLI::App& given) {
  require(command.model, "--model");
  require(command.files.source, "--source");
  require(command.files.target, "--target");
  refuse(!command.gold.empty() && command.level == "piece",
         "--gold has word links; it cannot be compared with links of --level piece");
  refuse_given(given, {"--stem", "--samplers", "--priors", "--save-priors"},
               "they need --method statistical");
  refuse_given(given, {"--votes"}, "it needs --method vote");
  check_method(command);
  check_models(command);
  check_outputs(command, given);
}

void run_align(const AlignCommand& command, const CLI::App& given) {
  if (!command.links.empty()) {
    check_given_links(command, given);
    judge_given_links(command);
    return;
  }
  refuse(command.gold.empty() && command.judge != "all",
         "--judge needs --gold, the links to compare with");
  if (command.method == kStatistical || command.method == kVote) {
    check_without_model(command, given);
  } else {
    check_with_model(command, given);
  }
  align_text(command);
}

}  // namespace

void add_align(CLI::App& command) {
  const auto options = std::make_shared<AlignCommand>();
  add_align_options(command, *options);
  command.footer(
      "Example:\n"
      "  attend align --model runs/quickstart --source test.en --target test.de --gold test.gold\n"
      "  attend align --links test.links --gold test.gold --judge covered");
  command.callback([options, &command] { run_align(*options, command); });
}

}  // namespace attend::cli
