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
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/given_options.h"
#include "cli/line_progress.h"
#include "cli/search_flags.h"
#include "cli/start_runtime.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/output_place.h"

namespace attend::cli {

namespace {

// Values of --head that are not numbers.
constexpr const char* kBest = "best";
constexpr const char* kMean = "mean";

// The value of --symmetrize that joins weights; the others join links.
constexpr const char* kMutual = "mutual";

// Methods without a model.
constexpr const char* kStatistical = "statistical";
constexpr const char* kVote = "vote";

struct AlignCommand {
  CommonOptions common;
  std::string model;
  std::string reverse_model;
  std::string symmetrize;
  std::string compared_model;
  data::PairFiles files;
  std::string links;
  std::string gold;
  std::string judge = "all";
  std::string output = "-";
  std::string format = "pharaoh";
  std::string level = "word";
  std::string method = "attention";
  std::optional<int64_t> saliency_samples;
  std::vector<int64_t> stems = app::StatisticalPairsOptions{}.stems;
  int64_t samplers = app::StatisticalPairsOptions{}.samplers;
  std::vector<std::string> votes;
  std::optional<float> threshold;
  std::optional<std::size_t> shift;
  std::optional<std::size_t> layer;
  std::string head;
  std::string kinds;
  std::string heatmaps;
  std::string heatmap_format = "svg";
  app::BatchOverrides batch;
};

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
  std::vector<std::string> inputs = {command.files.source, command.files.target, command.gold};
  inputs.insert(inputs.end(), command.votes.begin(), command.votes.end());
  check_log_file(command.common.log, {command.output}, inputs);
  check_inputs_kept({command.output}, inputs);
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
  refuse_given(given, {"--model",
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
  refuse(command.shift.has_value() && !app::alignment_method(command.method).by_steps,
         "--shift needs --method attention");
  refuse((command.layer || !command.head.empty()) && command.method != "attention",
         "--layer and --head need --method attention");
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
    refuse_given(given, {"--symmetrize", "--stem", "--samplers"},
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
  refuse_given(given, {"--stem", "--samplers"}, "they need --method statistical");
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

void add_pair_options(CLI::App& command, AlignCommand& options) {
  command.add_option("--model", options.model, "Model folder")->type_name("DIR");
  command.add_option("--source", options.files.source, "Source sentences")->type_name("FILE");
  command.add_option("--target", options.files.target, "Translations, one per source line")
      ->type_name("FILE");
  command.add_option("--output", options.output, "Write links here (default -: standard output)")
      ->type_name("FILE");
  command
      .add_option("--format", options.format,
                  "Write pharaoh links i-j (default), or jsonl with all weights")
      ->check(one_of({"pharaoh", "jsonl"}))
      ->type_name("F");
  command.add_option("--level", options.level, "Align words (default) or pieces: word, piece")
      ->check(one_of(align::level_names()))
      ->type_name("L");
  add_pair_batch_options(command, options.batch);
}

std::vector<std::string> method_choices() {
  auto names = app::alignment_method_names();
  names.insert(names.end(), {kStatistical, kVote});
  return names;
}

void add_reading_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--method", options.method,
                  "Align by attention (default), posterior (more accurate, slower), saliency "
                  "(gradients; any model), or without a model by statistical (learns from the "
                  "pairs) or vote (joins --votes)")
      ->check(one_of(method_choices()))
      ->type_name("M");
  command
      .add_option("--saliency-samples", options.saliency_samples,
                  "Average saliency over N noisy copies (default 0: no noise)")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N");
  command
      .add_option("--threshold", options.threshold,
                  "Link all source words of weight P or more (default: only the largest)")
      ->check(between(0.0, 1.0))
      ->type_name("P");
  command
      .add_option("--shift", options.shift,
                  "Read a word's attention N steps later, 0 or 1 (default: by the model's config)")
      ->check(CLI::Range(0, 1).description(""))
      ->type_name("N");
}

/// Accepts "mean", "best" and numbers >= 1.
CLI::Validator a_head() {
  const auto check = [](const std::string& head) -> std::string {
    const bool is_number = !head.empty() && head.size() < 7 && head.front() != '0' &&
                           head.find_first_not_of("0123456789") == std::string::npos;
    if (is_number || head == kMean || head == kBest) return "";
    return fmt::format("unknown head \"{}\"; expected a number from 1, {} or {}", head, kMean,
                       kBest);
  };
  return {check, "", "head"};
}

void add_map_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--layer", options.layer,
                  "Read the attention of layer N, from 1 (default: by the model's config)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
  command
      .add_option("--head", options.head,
                  "Read head N (from 1), mean, or best: the layer, head and shift with the lowest "
                  "AER against --gold")
      ->check(a_head())
      ->type_name("N");
  command
      .add_option("--attention-kinds", options.kinds,
                  "Add all layers and heads of these kinds (A,B): encoder, decoder, cross, "
                  "encoder_memory, decoder_memory or all")
      ->type_name("K");
}

void add_statistical_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--stem", options.stems,
                  "Statistical: cut words to N letters, 0: whole words; averages several (default "
                  "0,5,4)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("N,...");
  command
      .add_option("--samplers", options.samplers,
                  "Statistical: average N samplers per direction and stem (default 1)")
      ->check(CLI::Range(1, 100).description(""))
      ->type_name("N");
  command
      .add_option("--votes", options.votes,
                  "Vote: files of Pharaoh links or --format jsonl weights of the same pairs")
      ->type_name("FILE...");
}

std::vector<std::string> symmetrize_choices() {
  auto names = align::symmetrization_names();
  names.emplace_back(kMutual);
  return names;
}

void add_symmetrize_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--reverse-model", options.reverse_model,
                  "Target-to-source model, to join the links of both directions")
      ->type_name("DIR");
  command
      .add_option("--symmetrize", options.symmetrize,
                  fmt::format("Join both directions by {}", join(symmetrize_choices())))
      ->check(one_of(symmetrize_choices()))
      ->type_name("S");
}

void add_gold_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--gold", options.gold, "Report AER against these links: i-j sure, ipj possible")
      ->type_name("FILE");
  command
      .add_option("--judge", options.judge,
                  "Count all links (default), or covered: links between words that have gold "
                  "links")
      ->check(one_of(align::judge_names()))
      ->type_name("J");
  command
      .add_option("--links", options.links,
                  "Compare these Pharaoh links with --gold, without a model")
      ->type_name("FILE");
}

void add_heatmap_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--heatmaps", options.heatmaps, "Draw a heatmap of each pair into this folder")
      ->type_name("DIR");
  command
      .add_option("--heatmap-format", options.heatmap_format,
                  "Draw svg (default), png, pdf, or html: index.html with all pairs")
      ->check(one_of(app::heatmap_format_names()))
      ->type_name("F");
  command
      .add_option("--compare-model", options.compared_model,
                  "Show a second model next to the first on the HTML page")
      ->type_name("DIR");
}

}  // namespace

void add_align(CLI::App& command) {
  const auto options = std::make_shared<AlignCommand>();
  add_pair_options(command, *options);
  add_reading_options(command, *options);
  add_statistical_options(command, *options);
  add_map_options(command, *options);
  add_symmetrize_options(command, *options);
  add_gold_options(command, *options);
  add_heatmap_options(command, *options);
  add_common_options(command, options->common);
  command.footer(
      "Example:\n"
      "  attend align --model runs/quickstart --source test.en --target test.de --gold test.gold\n"
      "  attend align --links test.links --gold test.gold --judge covered");
  command.callback([options, &command] { run_align(*options, command); });
}

}  // namespace attend::cli
