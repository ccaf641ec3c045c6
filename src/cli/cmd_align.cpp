#include "cli/cmd_align.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/alignment_output.h"
#include "cli/common_options.h"
#include "cli/forced_pairs.h"
#include "cli/link_report.h"
#include "cli/loaded_model.h"
#include "cli/runtime.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/log.h"
#include "core/utf8.h"
#include "decode/options.h"

namespace attend::cli {

namespace {

struct AlignCommand {
  CommonOptions common;
  std::string model;
  data::PairFiles files;
  std::string links;
  std::string gold;
  std::string judge = "all";
  std::string output = "-";
  std::string format = "pharaoh";
  std::string level = "word";
  std::optional<float> threshold;
  std::size_t shift = 0;
  std::string heatmaps;
  std::string heatmap_format = "svg";
  std::optional<int64_t> batch_size;
};

void print(const std::string& line) {
  OutputFile output("-");
  output.write_line(line);
  output.commit();
}

void judge_links(const AlignCommand& command) {
  set_up_log(command.common.log);
  const LinksFile links{command.links, align::read_pharaoh(command.links)};
  print(error_rate_report(links, read_gold_file(command.gold), align::parse_judge(command.judge)));
}

AlignmentChoices alignment_choices(const AlignCommand& command) {
  return {.output = command.output,
          .jsonl = command.format == "jsonl",
          .level = align::parse_level(command.level),
          .threshold = command.threshold,
          .shift = command.shift,
          .heatmaps = command.heatmaps,
          .heatmap_format = align::parse_picture_format(command.heatmap_format)};
}

int64_t checked_batch_size(const AlignCommand& command, const LoadedModel& model) {
  decode::SearchOptions options;
  options.decoding.batch_size = command.batch_size.value_or(model.experiment.decoding.batch_size);
  decode::validate(options);
  return options.decoding.batch_size;
}

// JSONL has a form for a model without attention; links and pictures do not.
void check_attention(const AlignCommand& command, const LoadedModel& model) {
  if (command.format == "pharaoh") require_attention(model, "--format pharaoh");
  if (!command.gold.empty()) require_attention(model, "--gold");
  if (!command.heatmaps.empty()) require_attention(model, "--heatmaps");
}

int64_t words_of(const std::string& line) {
  return std::ssize(utf8::word_spans(line));
}

// The links go to the output, so that their error rate is free to go to standard output only where
// that is not the output.
void report_error_rate(const AlignCommand& command, const LinksFile& links, const GoldFile& gold) {
  const std::string report = error_rate_report(links, gold, align::parse_judge(command.judge));
  if (command.output == "-") {
    log::info("{}", report);
  } else {
    print(report);
  }
}

void align_pairs(const AlignCommand& command) {
  const nn::Runtime runtime = start_runtime(command.common);
  std::optional<GoldFile> gold;
  if (!command.gold.empty()) gold = read_gold_file(command.gold);
  const auto model = load_model(command.model, runtime.device);
  check_attention(command, model);
  const ForceOptions options{.batch_size = checked_batch_size(command, model),
                             .keep_attention = true};
  data::PairReader reader(command.files);
  AlignmentOutput output(alignment_choices(command));
  LinksFile links{command.files.target, {}};
  force_pairs(reader, model, options, [&](const ForcedPair& pair) {
    if (gold) check_gold(*gold, pair.id, words_of(pair.source.text), words_of(pair.target.text));
    links.sentences.push_back(output.add(pair));
  });
  output.commit();
  if (gold) report_error_rate(command, links, *gold);
}

void require(const std::string& value, const char* name) {
  if (!value.empty()) return;
  throw UsageError(fmt::format(
      "{} is missing; give --model, --source and --target, or --links and --gold", name));
}

void run_align(const AlignCommand& command) {
  if (command.links.empty()) {
    require(command.model, "--model");
    require(command.files.source, "--source");
    require(command.files.target, "--target");
    if (!command.gold.empty() && command.level == "piece") {
      throw UsageError("--gold counts words, so it cannot judge links of --level piece");
    }
    align_pairs(command);
  } else {
    require(command.gold, "--gold");
    judge_links(command);
  }
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
  command
      .add_option("--threshold", options.threshold,
                  "Link every source word of at least this weight (default: the largest)")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->type_name("P");
  command
      .add_option("--shift", options.shift, "1: take a word's weights one step later (default 0)")
      ->check(CLI::Range(0, 1).description(""))
      ->type_name("N");
  command.add_option("--batch-size", options.batch_size, "Pairs at once (default: the config's)")
      ->type_name("N");
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
      ->excludes("--model")
      ->excludes("--source")
      ->excludes("--target")
      ->type_name("FILE");
}

void add_heatmap_options(CLI::App& command, AlignCommand& options) {
  command.add_option("--heatmaps", options.heatmaps, "Folder for a picture of each pair")
      ->type_name("DIR");
  command
      .add_option("--heatmap-format", options.heatmap_format,
                  fmt::format("One of {} (default svg)", join(align::picture_format_names())))
      ->check(one_of(align::picture_format_names()))
      ->type_name("F");
}

}  // namespace

void add_align(CLI::App& command) {
  const auto options = std::make_shared<AlignCommand>();
  add_pair_options(command, *options);
  add_gold_options(command, *options);
  add_heatmap_options(command, *options);
  add_common_options(command, options->common);
  command.footer(
      "Example:\n"
      "  attend align --model runs/quickstart --source test.en --target test.de --gold test.gold\n"
      "  attend align --links test.links --gold test.gold --judge covered");
  command.callback([options] { run_align(*options); });
}

}  // namespace attend::cli
