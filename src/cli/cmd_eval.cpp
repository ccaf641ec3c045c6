#include <memory>
#include <string>

#include "app/evaluate/eval_lengths.h"
#include "app/evaluate/eval_report.h"
#include "app/evaluate/eval_scores.h"
#include "app/evaluate/evaluation.h"
#include "cli/commands.h"
#include "cli/eval_options.h"
#include "cli/line_progress.h"
#include "cli/start_runtime.h"
#include "core/file.h"

namespace attend::cli {

namespace {

app::EvaluationRequest evaluation_request(const EvalCommand& command) {
  app::EvaluationRequest request{.models = command.models,
                                 .source = command.source,
                                 .search = command.search,
                                 .hypotheses = command.hypotheses,
                                 .by_length = command.by_length,
                                 .paired = !command.paired.empty(),
                                 .references = command.references,
                                 .metrics = command.metrics,
                                 .metric_options = command.metric_options};
  request.metric_options.bleu.smoothing = metrics::parse_smoothing(command.smooth);
  return request;
}

// Checks the options before files are read or models run.
app::Evaluation evaluate(const EvalCommand& command) {
  app::EvaluationRequest request = evaluation_request(command);
  app::check_metrics(request);
  if (!command.models.empty()) {
    const runtime::Runtime runtime = start_runtime(command.common);
    CommandProgress progress(command.common.log.quiet);
    request.report = progress.reporter();
    return app::evaluate_models(request, runtime.device);
  }
  set_up_log(command.common.log);
  return app::evaluate_files(request);
}

app::ScoreRequest score_request(const EvalCommand& command) {
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
  if (command.by_length) {
    const auto entries = app::score_by_length(evaluation);
    return command.json ? app::length_json(entries) : app::length_report(entries);
  }
  const app::ScoreRequest request = score_request(command);
  const auto entries = app::score_entries(evaluation, request);
  if (command.json) return app::json_report(entries);
  return request.paired ? app::paired_report(entries, request.test()) : app::text_report(entries);
}

void run_eval(const EvalCommand& command, const CLI::App& given) {
  check(command, given);
  std::vector<std::string> inputs = command.hypotheses;
  inputs.insert(inputs.end(), command.references.begin(), command.references.end());
  inputs.push_back(command.source);
  check_log_file(command.common.log, {}, inputs);
  const app::Evaluation evaluation = evaluate(command);
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
      "--paired bootstrap");
  command.callback([options, &command] { run_eval(*options, command); });
}

}  // namespace attend::cli
