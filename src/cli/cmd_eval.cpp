#include "cli/cmd_eval.h"

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/eval_model.h"
#include "app/eval_report.h"
#include "app/eval_scores.h"
#include "app/loaded_model.h"
#include "app/text_lines.h"
#include "cli/eval_options.h"
#include "cli/start_runtime.h"
#include "core/closest_name.h"
#include "core/file.h"
#include "core/log.h"
#include "metrics/registry.h"
#include "metrics/token_scores.h"

namespace attend::cli {

namespace {

// Hypotheses under the name that the report gives them.
struct System {
  std::string name;
  app::TextLines text;  // its path is the file whose lines the hypotheses correspond to
};

std::unique_ptr<metrics::Metric> make_text_metric(const EvalCommand& command,
                                                  const std::string& name) {
  metrics::MetricOptions options = command.metric_options;
  options.bleu.smoothing = metrics::parse_smoothing(command.smooth);
  return metrics::make_metric(name, options);
}

// Mistakes in the options shall show before files are read or models run.
void check_metrics(const EvalCommand& command) {
  for (const std::string& name : command.metrics) {
    if (name != kLoss && name != kAccuracy) (void)make_text_metric(command, name);
  }
}

std::vector<app::TextLines> read_all(const std::vector<std::string>& paths) {
  std::vector<app::TextLines> files;
  for (const std::string& path : paths) files.push_back(app::read_lines(path));
  return files;
}

void check_references(const std::vector<app::TextLines>& references, const app::TextLines& lines) {
  for (const app::TextLines& reference : references) {
    app::check_same_count(lines.path, lines.lines.size(), reference.path, reference.lines.size());
  }
}

app::Measurement measure(std::unique_ptr<metrics::Metric> metric,
                         const std::vector<System>& systems,
                         const metrics::References& references) {
  app::Measurement measurement;
  for (const System& system : systems) {
    measurement.systems.push_back(
        metrics::corpus_statistics(*metric, system.text.lines, references));
  }
  measurement.scorer = std::move(metric);
  return measurement;
}

app::Measurement token_measurement(metrics::TokenMeasure measure,
                                   const metrics::CorpusStatistics& statistics) {
  return {std::make_unique<metrics::TokenScorer>(measure, "piece"), {statistics}};
}

// `tokens`: of the only system, where metrics ask a model.
std::vector<app::Measurement> measure_all(const EvalCommand& command,
                                          const std::vector<System>& systems,
                                          const std::vector<app::TextLines>& references,
                                          const metrics::CorpusStatistics& tokens) {
  using metrics::TokenMeasure;
  metrics::References lines;
  for (const app::TextLines& reference : references) lines.push_back(reference.lines);
  std::vector<app::Measurement> measurements;
  for (const std::string& name : command.metrics) {
    if (name == kLoss) {
      measurements.push_back(token_measurement(TokenMeasure::kLoss, tokens));
      measurements.push_back(token_measurement(TokenMeasure::kPerplexity, tokens));
    } else if (name == kAccuracy) {
      measurements.push_back(token_measurement(TokenMeasure::kAccuracy, tokens));
    } else {
      measurements.push_back(measure(make_text_metric(command, name), systems, lines));
    }
  }
  return measurements;
}

app::Evaluation evaluate_model(const EvalCommand& command) {
  const runtime::Runtime runtime = start_runtime(command.common);
  const auto references = read_all(command.references);
  if (command.source != "-") check_references(references, app::read_lines(command.source));
  const auto models = app::load_models(command.models, runtime.device);
  System system{join(command.models, "+"), {command.source, {}}};
  if (command.wants_text_metric()) {
    system.text.lines = app::translate_source(models, command.source, command.search);
    check_references(references, system.text);
  }
  metrics::CorpusStatistics tokens(0, 0);
  if (command.wants_model_metric()) {
    tokens =
        app::token_statistics(models.front(), command.source, command.references, command.search);
  }
  return {{system.name}, references.size(), measure_all(command, {system}, references, tokens)};
}

// In a paired test the baseline may be among the files again: `--hypothesis base *.txt`.
std::vector<std::string> files_to_score(const EvalCommand& command) {
  std::vector<std::string> files;
  for (const std::string& path : command.hypotheses) {
    if (!command.paired.empty() && !files.empty() && path == files.front()) {
      log::info("{} is the baseline and is not compared with itself", path);
    } else {
      files.push_back(path);
    }
  }
  return files;
}

app::Evaluation evaluate_files(const EvalCommand& command) {
  set_up_log(command.common.log);
  const auto references = read_all(command.references);
  std::vector<System> systems;
  std::vector<std::string> names = files_to_score(command);
  for (const std::string& path : names) {
    systems.push_back({path, app::read_lines(path)});
    check_references(references, systems.back().text);
  }
  auto measurements = measure_all(command, systems, references, metrics::CorpusStatistics(0, 0));
  return {std::move(names), references.size(), std::move(measurements)};
}

app::ScoreRequest request_of(const EvalCommand& command) {
  app::ScoreRequest request{.sentence_level = command.metric_options.sentence_level,
                            .confidence = command.confidence,
                            .paired = std::nullopt,
                            .trials = command.trials,
                            .seed = static_cast<uint64_t>(command.common.seed.value_or(1))};
  if (command.paired == "bootstrap") request.paired = app::PairedTest::kBootstrap;
  if (command.paired == "randomization") request.paired = app::PairedTest::kRandomization;
  return request;
}

std::string report_of(const EvalCommand& command, const app::Evaluation& evaluation) {
  const app::ScoreRequest request = request_of(command);
  const auto entries = app::score_entries(evaluation, request);
  if (command.json) return app::json_report(entries);
  return request.paired ? app::paired_report(entries, request.test()) : app::text_report(entries);
}

void run_eval(const EvalCommand& command, const CLI::App& given) {
  check(command, given);
  check_metrics(command);
  const app::Evaluation evaluation =
      command.models.empty() ? evaluate_files(command) : evaluate_model(command);
  OutputFile output("-");
  output.write(report_of(command, evaluation));
  output.commit();
}

}  // namespace

void add_eval(CLI::App& command) {
  const auto options = std::make_shared<EvalCommand>();
  add_eval_options(command, *options);
  command.footer(
      "Example:\n"
      "  attend eval --hypothesis base.de new.de --reference test.de --metrics bleu,chrf,ter "
      "--paired bootstrap\n"
      "  attend eval --model runs/quickstart --source test.en --reference test.de");
  command.callback([options, &command] { run_eval(*options, command); });
}

}  // namespace attend::cli
