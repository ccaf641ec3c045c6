#include "cli/cmd_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/eval_report.h"
#include "cli/text_lines.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "metrics/registry.h"

namespace attend::cli {

namespace {

using Metrics = std::vector<std::unique_ptr<metrics::Metric>>;

struct EvalCommand {
  CommonOptions common;
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a";
  std::string smooth = "exp";
  std::optional<double> smooth_value;
  bool lowercase = false;
  bool sentence_level = false;
  bool json = false;
};

Metrics make_metrics(const EvalCommand& command) {
  const metrics::MetricOptions options{
      .lowercase = command.lowercase,
      .sentence_level = command.sentence_level,
      .bleu = {.tokenizer = command.tokenize,
               .smoothing = metrics::parse_smoothing(command.smooth),
               .smooth_value = command.smooth_value}};
  Metrics made;
  for (const std::string& name : command.metrics) {
    made.push_back(metrics::make_metric(name, options));
  }
  return made;
}

std::vector<TextLines> read_all(const std::vector<std::string>& paths) {
  std::vector<TextLines> files;
  for (const std::string& path : paths) files.push_back(read_lines(path));
  return files;
}

// The lines of each reference file, once all files are known to match.
metrics::References matching_references(const std::vector<TextLines>& references,
                                        const std::vector<TextLines>& systems) {
  metrics::References lines;
  for (const TextLines& reference : references) {
    for (const TextLines& system : systems) {
      check_same_count(system.path, system.lines.size(), reference.path, reference.lines.size());
    }
    lines.push_back(reference.lines);
  }
  return lines;
}

EvalEntry entry_of(const TextLines& system, const metrics::Metric& metric,
                   const metrics::Score& score, std::size_t references) {
  return {.system = system.path.string(),
          .line = std::nullopt,
          .name = metric.name(),
          .score = score.value,
          .signature = metric.signature(references),
          .details = score.details};
}

std::vector<EvalEntry> scores_of(const TextLines& system, const metrics::Metric& metric,
                                 const metrics::References& references, bool sentence_level) {
  const auto statistics = metrics::corpus_statistics(metric, system.lines, references);
  if (!sentence_level)
    return {entry_of(system, metric, metric.score(statistics.sum()), references.size())};
  std::vector<EvalEntry> entries;
  for (std::size_t i = 0; i < statistics.segments(); ++i) {
    const metrics::Score score = metric.score(statistics.row(i));
    entries.push_back(entry_of(system, metric, score, references.size()));
    entries.back().line = static_cast<int64_t>(i) + 1;
  }
  return entries;
}

std::vector<EvalEntry> evaluate(const std::vector<TextLines>& systems,
                                const metrics::References& references, const Metrics& all,
                                bool sentence_level) {
  std::vector<EvalEntry> entries;
  for (const TextLines& system : systems) {
    for (const auto& metric : all) {
      std::ranges::move(scores_of(system, *metric, references, sentence_level),
                        std::back_inserter(entries));
    }
  }
  return entries;
}

void run_eval(const EvalCommand& command) {
  set_up_log(command.common.log);
  const Metrics all = make_metrics(command);
  const auto systems = read_all(command.hypotheses);
  const auto references = matching_references(read_all(command.references), systems);
  const auto entries = evaluate(systems, references, all, command.sentence_level);
  OutputFile output("-");
  output.write(command.json ? json_report(entries) : text_report(entries));
  output.commit();
}

void add_metric_options(CLI::App& command, EvalCommand& options) {
  command
      .add_option(
          "--metrics", options.metrics,
          fmt::format("Of {}; separated by commas (default bleu)", join(metrics::metric_names())))
      ->delimiter(',')
      ->type_name("M");
  command.add_flag("--lowercase", options.lowercase, "Ignore case");
  command.add_flag("--sentence-level", options.sentence_level, "A score for each line");
  command
      .add_option(
          "--tokenize", options.tokenize,
          fmt::format("BLEU's tokenizer: {} (default 13a)", join(metrics::tokenizer_names())))
      ->check(one_of(metrics::tokenizer_names()))
      ->type_name("T");
  command
      .add_option(
          "--smooth", options.smooth,
          fmt::format("BLEU's smoothing: {} (default exp)", join(metrics::smoothing_names())))
      ->check(one_of(metrics::smoothing_names()))
      ->type_name("S");
  command.add_option("--smooth-value", options.smooth_value, "For floor (default 0.1), add-k (1)")
      ->type_name("X");
}

}  // namespace

void add_eval(CLI::App& command) {
  const auto options = std::make_shared<EvalCommand>();
  command.add_option("--hypothesis", options->hypotheses, "Translations to score; several systems")
      ->required()
      ->type_name("FILE");
  command.add_option("--reference", options->references, "Right translations; one or more files")
      ->required()
      ->type_name("FILE");
  add_metric_options(command, *options);
  command.add_flag("--json", options->json, "Full precision, as a JSON list");
  add_log_options(command, options->common.log);
  command.footer(
      "Example:\n  attend eval --hypothesis out.de --reference test.de --metrics bleu,exact");
  command.callback([options] { run_eval(*options); });
}

}  // namespace attend::cli
