#include "cli/cmd_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/eval_model.h"
#include "cli/eval_report.h"
#include "cli/loaded_model.h"
#include "cli/runtime.h"
#include "cli/search_flags.h"
#include "cli/text_lines.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "metrics/registry.h"

namespace attend::cli {

namespace {

using Metrics = std::vector<std::unique_ptr<metrics::Metric>>;

// The one metric that asks a model instead of comparing texts.
constexpr const char* kLoss = "loss";

struct EvalCommand {
  CommonOptions common;
  std::vector<std::string> models;
  std::string source;
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;
  SearchFlags search;
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a";
  std::string smooth = "exp";
  std::optional<double> smooth_value;
  bool lowercase = false;
  bool sentence_level = false;
  bool json = false;

  [[nodiscard]] bool wants_loss() const { return std::ranges::count(metrics, kLoss) > 0; }
};

// Hypotheses under the name that the report gives them.
struct System {
  std::string name;
  TextLines text;  // its path is the file whose lines the hypotheses correspond to
};

std::vector<std::string> all_metric_names() {
  auto names = metrics::metric_names();
  names.emplace_back(kLoss);
  return names;
}

Metrics make_text_metrics(const EvalCommand& command) {
  const metrics::MetricOptions options{
      .lowercase = command.lowercase,
      .sentence_level = command.sentence_level,
      .bleu = {.tokenizer = command.tokenize,
               .smoothing = metrics::parse_smoothing(command.smooth),
               .smooth_value = command.smooth_value}};
  Metrics made;
  for (const std::string& name : command.metrics) {
    if (name != kLoss) made.push_back(metrics::make_metric(name, options));
  }
  return made;
}

std::vector<TextLines> read_all(const std::vector<std::string>& paths) {
  std::vector<TextLines> files;
  for (const std::string& path : paths) files.push_back(read_lines(path));
  return files;
}

void check_references(const std::vector<TextLines>& references, const TextLines& lines) {
  for (const TextLines& reference : references) {
    check_same_count(lines.path, lines.lines.size(), reference.path, reference.lines.size());
  }
}

EvalEntry entry_of(const System& system, const metrics::Metric& metric, const metrics::Score& score,
                   std::size_t references) {
  return {.system = system.name,
          .line = std::nullopt,
          .name = metric.name(),
          .score = score.value,
          .signature = metric.signature(references),
          .details = score.details};
}

std::vector<EvalEntry> scores_of(const System& system, const metrics::Metric& metric,
                                 const metrics::References& references, bool sentence_level) {
  const auto statistics = metrics::corpus_statistics(metric, system.text.lines, references);
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

void add_scores(const std::vector<System>& systems, const std::vector<TextLines>& references,
                const Metrics& all, bool sentence_level, std::vector<EvalEntry>& entries) {
  metrics::References lines;
  for (const TextLines& reference : references) lines.push_back(reference.lines);
  for (const System& system : systems) {
    check_references(references, system.text);
    for (const auto& metric : all) {
      std::ranges::move(scores_of(system, *metric, lines, sentence_level),
                        std::back_inserter(entries));
    }
  }
}

// Standard input can be read only once.
void check_model_command(const EvalCommand& command) {
  if (command.source.empty()) throw UsageError("--model needs --source, the text to translate");
  if (!command.wants_loss()) return;
  if (command.models.size() > 1) throw UsageError("--metrics loss takes a single --model");
  const bool piped = std::ranges::count(command.references, "-") > 0 || command.source == "-";
  if (piped) throw UsageError("--metrics loss reads its files twice, so none can be -");
}

std::string joined_names(const std::vector<std::string>& models) {
  return join(models, "+");
}

std::vector<EvalEntry> evaluate_model(const EvalCommand& command, const Metrics& all) {
  check_model_command(command);
  const nn::Runtime runtime = start_runtime(command.common);
  const auto references = read_all(command.references);
  if (command.source != "-") check_references(references, read_lines(command.source));
  const auto models = load_models(command.models, runtime.device);
  std::vector<EvalEntry> entries;
  if (!all.empty()) {
    auto lines = translate_source(models, command.source, command.search);
    const System system{joined_names(command.models), {command.source, std::move(lines)}};
    add_scores({system}, references, all, command.sentence_level, entries);
  }
  if (command.wants_loss()) {
    std::ranges::move(
        loss_entries(models.front(), command.source, command.references, command.search),
        std::back_inserter(entries));
  }
  return entries;
}

std::vector<EvalEntry> evaluate_files(const EvalCommand& command, const Metrics& all) {
  set_up_log(command.common.log);
  if (command.hypotheses.empty()) {
    throw UsageError("nothing to score; give --hypothesis, or --model and --source");
  }
  if (command.wants_loss()) throw UsageError("--metrics loss needs --model and --source");
  const auto references = read_all(command.references);
  std::vector<System> systems;
  for (const std::string& path : command.hypotheses) systems.push_back({path, read_lines(path)});
  std::vector<EvalEntry> entries;
  add_scores(systems, references, all, command.sentence_level, entries);
  return entries;
}

void run_eval(const EvalCommand& command) {
  const Metrics all = make_text_metrics(command);
  const auto entries =
      command.models.empty() ? evaluate_files(command, all) : evaluate_model(command, all);
  OutputFile output("-");
  output.write(command.json ? json_report(entries) : text_report(entries));
  output.commit();
}

void add_file_options(CLI::App& command, EvalCommand& options) {
  auto* hypothesis = command.add_option("--hypothesis", options.hypotheses,
                                        "Translations to score; each file is a system");
  hypothesis->type_name("FILE");
  command.add_option("--reference", options.references, "Right translations; one or more files")
      ->required()
      ->type_name("FILE");
  command.add_option("--model", options.models, "Translate with this model, or an ensemble")
      ->excludes(hypothesis)
      ->type_name("DIR");
  command.add_option("--source", options.source, "The text that the model translates")
      ->excludes(hypothesis)
      ->type_name("FILE");
}

void add_metric_options(CLI::App& command, EvalCommand& options) {
  command
      .add_option("--metrics", options.metrics,
                  fmt::format("Of {}, with commas (default bleu)", join(all_metric_names())))
      ->delimiter(',')
      ->check(one_of(all_metric_names()))
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
  command.add_flag("--json", options.json, "Full precision, as a JSON list");
}

}  // namespace

void add_eval(CLI::App& command) {
  const auto options = std::make_shared<EvalCommand>();
  add_file_options(command, *options);
  add_metric_options(command, *options);
  add_search_options(command, options->search);
  add_common_options(command, options->common);
  command.footer(
      "Example:\n  attend eval --hypothesis out.de --reference test.de --metrics bleu,exact\n"
      "  attend eval --model runs/quickstart --source test.en --reference test.de");
  command.callback([options] { run_eval(*options); });
}

}  // namespace attend::cli
