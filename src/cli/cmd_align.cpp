#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/align/align_pairs.h"
#include "app/align/link_report.h"
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

// Of --head.
constexpr const char* kBest = "best";
constexpr const char* kMean = "mean";

// Of --symmetrize: joins weights; the other choices join links.
constexpr const char* kMutual = "mutual";

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

/// Unset: what the model shows.
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

// The links go to the output, so that their error rate is free to go to standard output only where
// that is not the output. It was asked for, so that --quiet does not silence it.
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

void align_by_model(const AlignCommand& command) {
  const std::vector<std::string> inputs = {command.files.source, command.files.target,
                                           command.gold};
  check_log_file(command.common.log, {command.output}, inputs);
  check_inputs_kept({command.output}, inputs);
  const runtime::Runtime runtime = start_runtime(command.common);
  const auto counts = align_pairs_shown(command, runtime.device);
  if (counts) report_error_rate(command, *counts);
}

void require(const std::string& value, const char* name) {
  if (!value.empty()) return;
  throw UsageError(fmt::format(
      "{} is missing; give --model, --source and --target, or --links and --gold", name));
}

void refuse(bool wrong, const char* message) {
  if (wrong) throw UsageError(message);
}

void check_given_links(const AlignCommand& command, const CLI::App& given) {
  require(command.gold, "--gold");
  refuse(command.files.source.empty() != command.files.target.empty(),
         "--links can be checked against the sentences only where both --source and --target are "
         "given");
  refuse_given(given,
               {"--model", "--reverse-model", "--symmetrize", "--method", "--saliency-samples",
                "--threshold", "--shift", "--batch-size", "--batch-unit", "--output", "--format",
                "--level", "--heatmaps", "--heatmap-format", "--compare-model", "--layer", "--head",
                "--attention-kinds"},
               "--links are judged without a model, and without pictures, and the result goes to "
               "standard output; leave out --links, or the others");
}

void check_outputs(const AlignCommand& command, const CLI::App& given) {
  if (command.heatmaps.empty()) {
    refuse_given(given, {"--heatmap-format"},
                 "it is the form of the pictures of --heatmaps; give both");
  }
  if (command.format == "jsonl" && command.gold.empty() && !wants_page(command)) {
    refuse_given(given, {"--threshold"},
                 "it chooses links, and --format jsonl writes all weights; leave one of them out");
  }
  if (command.format != "jsonl" && command.heatmaps.empty()) {
    refuse_given(given, {"--attention-kinds"},
                 "they are written beside the others of --format jsonl and --heatmaps; give one of "
                 "them");
  }
}

void check_method(const AlignCommand& command) {
  refuse(command.shift.has_value() && !app::alignment_method(command.method).by_steps,
         "--shift chooses among the attention of decoding steps; leave it out, or take --method "
         "attention");
  refuse((command.layer || !command.head.empty()) && command.method != "attention",
         "--layer and --head choose among the weights of --method attention; leave them out, or "
         "take that method");
  refuse(command.head == kBest && command.gold.empty(),
         "--head best is the one whose links agree best with --gold; give it");
  refuse(command.saliency_samples.has_value() && command.method != "saliency",
         "--saliency-samples needs --method saliency");
}

void check_models(const AlignCommand& command) {
  const bool two_ways = !command.symmetrize.empty();
  refuse(two_ways && command.reverse_model.empty(),
         "--symmetrize joins the links of two models; give the one of the other direction as "
         "--reverse-model");
  refuse(!two_ways && !command.reverse_model.empty(),
         "--reverse-model needs --symmetrize, which says how its links join those of --model");
  refuse(two_ways && command.level == "piece",
         "--symmetrize joins links of words, since two models may have different pieces; leave out "
         "--level piece");
  refuse(two_ways && command.format == "jsonl" && command.gold.empty() && !wants_page(command),
         "--format jsonl writes the weights of --model, so that the links of --symmetrize would go "
         "nowhere; leave one of them out, or give --gold");
  refuse(!command.compared_model.empty() && !wants_page(command),
         "--compare-model is shown beside --model on the page of --heatmaps DIR --heatmap-format "
         "html; give both");
}

void run_align(const AlignCommand& command, const CLI::App& given) {
  if (!command.links.empty()) {
    check_given_links(command, given);
    judge_given_links(command);
    return;
  }
  require(command.model, "--model");
  require(command.files.source, "--source");
  require(command.files.target, "--target");
  refuse(!command.gold.empty() && command.level == "piece",
         "--gold counts words, so it cannot judge links of --level piece");
  refuse(command.gold.empty() && command.judge != "all",
         "--judge says which links are held against --gold; give it");
  check_method(command);
  check_models(command);
  check_outputs(command, given);
  align_by_model(command);
}

void add_pair_options(CLI::App& command, AlignCommand& options) {
  command.add_option("--model", options.model, "Model directory")->type_name("DIR");
  command.add_option("--source", options.files.source, "Sentences")->type_name("FILE");
  command.add_option("--target", options.files.target, "Their translations, line by line")
      ->type_name("FILE");
  command.add_option("--output", options.output, "Links (default -: standard output)")
      ->type_name("FILE");
  command
      .add_option("--format", options.format,
                  "pharaoh (default): pairs i-j; jsonl: all weights of each pair")
      ->check(one_of({"pharaoh", "jsonl"}))
      ->type_name("F");
  command.add_option("--level", options.level, "word (default) or piece")
      ->check(one_of(align::level_names()))
      ->type_name("L");
  add_pair_batch_options(command, options.batch);
}

void add_reading_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--method", options.method,
                  "attention (default); posterior: given the target word too, more accurate and "
                  "slower; or saliency: gradients, for any model")
      ->check(one_of(app::alignment_method_names()))
      ->type_name("M");
  command
      .add_option("--saliency-samples", options.saliency_samples,
                  "Noisy copies that saliency averages over (default 0: none)")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N");
  command
      .add_option("--threshold", options.threshold,
                  "Link every source word of at least this weight (default: the largest)")
      ->check(between(0.0, 1.0))
      ->type_name("P");
  command
      .add_option("--shift", options.shift,
                  "1: take a word's attention one step later (default: what suits the model)")
      ->check(CLI::Range(0, 1).description(""))
      ->type_name("N");
}

/// Accepts "mean", "best" and numbers from 1.
CLI::Validator a_head() {
  const auto check = [](const std::string& head) -> std::string {
    const bool is_number = !head.empty() && head.size() < 7 && head.front() != '0' &&
                           head.find_first_not_of("0123456789") == std::string::npos;
    if (is_number || head == kMean || head == kBest) return "";
    return fmt::format("\"{}\" is no head; give a number from 1, {} or {}", head, kMean, kBest);
  };
  return {check, "", "head"};
}

void add_map_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--layer", options.layer,
                  "Layer (from 1) whose attention to read (default: what suits the model)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
  command
      .add_option("--head", options.head,
                  "Its head (from 1), mean, or best: of --layer or all, and of both --shift, the "
                  "one with the lowest AER by --gold")
      ->check(a_head())
      ->type_name("N");
  command
      .add_option("--attention-kinds", options.kinds,
                  "Every layer and head, too: encoder, decoder, cross, encoder_memory, "
                  "decoder_memory (several: a,b) or all")
      ->type_name("K");
}

std::vector<std::string> symmetrize_choices() {
  auto names = align::symmetrization_names();
  names.emplace_back(kMutual);
  return names;
}

void add_symmetrize_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--reverse-model", options.reverse_model,
                  "Model from target to source, to link both ways")
      ->type_name("DIR");
  command.add_option("--symmetrize", options.symmetrize, join(symmetrize_choices()))
      ->check(one_of(symmetrize_choices()))
      ->type_name("S");
}

void add_gold_options(CLI::App& command, AlignCommand& options) {
  command.add_option("--gold", options.gold, "Right links, i-j sure and ipj possible: reports AER")
      ->type_name("FILE");
  command
      .add_option("--judge", options.judge,
                  "all (default) links, or covered: those between words that the gold links")
      ->check(one_of(align::judge_names()))
      ->type_name("J");
  command.add_option("--links", options.links, "Pharaoh links to judge by --gold, without a model")
      ->type_name("FILE");
}

void add_heatmap_options(CLI::App& command, AlignCommand& options) {
  command.add_option("--heatmaps", options.heatmaps, "Folder for pictures of the pairs")
      ->type_name("DIR");
  command
      .add_option("--heatmap-format", options.heatmap_format,
                  "svg (default), png, pdf; html: one page for all pairs, index.html")
      ->check(one_of(app::heatmap_format_names()))
      ->type_name("F");
  command
      .add_option("--compare-model", options.compared_model,
                  "Another model to show beside the first on that page")
      ->type_name("DIR");
}

}  // namespace

void add_align(CLI::App& command) {
  const auto options = std::make_shared<AlignCommand>();
  add_pair_options(command, *options);
  add_reading_options(command, *options);
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
