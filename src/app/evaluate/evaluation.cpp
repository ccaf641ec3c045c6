#include "app/evaluate/evaluation.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "app/evaluate/eval_model.h"
#include "app/evaluate/unspaced_references.h"
#include "app/lines/source_file.h"
#include "app/lines/text_lines.h"
#include "app/model/loaded_model.h"
#include "core/closest_name.h"
#include "core/log.h"
#include "metrics/token_scores.h"

namespace attend::app {

namespace {

// Hypotheses and their name in the report.
struct System {
  std::string name;
  TextLines text;  // path, for messages: the hypotheses, or the source that a model translates
};

bool asks_model(const std::string& metric) {
  return metric == kLoss || metric == kAccuracy;
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
  check_not_empty(lines.path, lines.lines.size());
}

Measurement measure(std::unique_ptr<metrics::Metric> metric, const std::vector<System>& systems,
                    const metrics::References& references) {
  Measurement measurement;
  for (const System& system : systems) {
    measurement.systems.push_back(
        metrics::corpus_statistics(*metric, system.text.lines, references));
  }
  measurement.scorer = std::move(metric);
  return measurement;
}

Measurement token_measurement(metrics::TokenMeasure measure,
                              const metrics::CorpusStatistics& statistics) {
  return {std::make_unique<metrics::TokenScorer>(measure, "piece"), {statistics}};
}

// `tokens`: the statistics of the only system, for metrics that need a model.
std::vector<Measurement> measure_all(const EvaluationRequest& request,
                                     const std::vector<System>& systems,
                                     const std::vector<TextLines>& references,
                                     const metrics::CorpusStatistics& tokens) {
  using metrics::TokenMeasure;
  metrics::References lines;
  for (const TextLines& reference : references) lines.push_back(reference.lines);
  const auto counts_words = [](const std::string& metric) {
    return metric == "bleu" || metric == "length";
  };
  if (std::ranges::any_of(request.metrics, counts_words))
    warn_of_unspaced_references(lines.front(), request.metric_options.bleu.tokenizer);
  std::vector<Measurement> measurements;
  for (const std::string& name : request.metrics) {
    if (name == kLoss) {
      measurements.push_back(token_measurement(TokenMeasure::kLoss, tokens));
      measurements.push_back(token_measurement(TokenMeasure::kPerplexity, tokens));
    } else if (name == kAccuracy) {
      measurements.push_back(token_measurement(TokenMeasure::kAccuracy, tokens));
    } else {
      measurements.push_back(
          measure(metrics::make_metric(name, request.metric_options), systems, lines));
    }
  }
  return measurements;
}

/// The number of words (between blanks) in each line of `source`; of all sources if the model has
/// several.
std::vector<int64_t> lengths_of(const TextLines& source, const std::vector<TextLines>& references) {
  check_references(references, source);
  std::vector<int64_t> lengths;
  for (const std::string& line : source.lines) {
    std::istringstream words(line);
    lengths.push_back(std::distance(std::istream_iterator<std::string>(words), {}));
  }
  return lengths;
}

// Drops further mentions of the baseline from a paired test, as in `--hypothesis base *.txt`.
std::vector<std::string> files_to_score(const EvaluationRequest& request) {
  std::vector<std::string> files;
  for (const std::string& path : request.hypotheses) {
    if (request.paired && !files.empty() && path == files.front()) {
      log::info("{} is the baseline and is not compared with itself", path);
    } else {
      files.push_back(path);
    }
  }
  return files;
}

}  // namespace

void check_metrics(const EvaluationRequest& request) {
  for (const std::string& name : request.metrics) {
    if (!asks_model(name)) (void)metrics::make_metric(name, request.metric_options);
  }
}

Evaluation evaluate_models(const EvaluationRequest& request, torch::Device device) {
  const auto references = read_all(request.references);
  const auto models = load_models(request.models, device);
  const SourceFile source(request.source, models.front());
  // No warnings here: translate_source() and token_statistics() give them.
  if (can_read_again(source.path()))
    check_references(references, read_lines(source.path(), /*warns=*/false));
  System system{join(request.models, "+"), {request.source, {}}};
  if (!std::ranges::all_of(request.metrics, asks_model)) {
    system.text.lines = translate_source(models, source.path(), request.search, request.report);
    check_references(references, system.text);
  }
  metrics::CorpusStatistics tokens(0, 0);
  if (std::ranges::any_of(request.metrics, asks_model)) {
    tokens = token_statistics(models.front(), source.path(), request.references, request.search,
                              request.report);
    check_not_empty(source.path(), tokens.segments());
  }
  return {{system.name},
          references.size(),
          measure_all(request, {system}, references, tokens),
          request.by_length ? lengths_of(read_lines(source.path(), /*warns=*/false), references)
                            : std::vector<int64_t>()};
}

Evaluation evaluate_files(const EvaluationRequest& request) {
  const auto references = read_all(request.references);
  std::vector<System> systems;
  std::vector<std::string> names = files_to_score(request);
  for (const std::string& path : names) {
    systems.push_back({path, read_lines(path)});
    check_references(references, systems.back().text);
  }
  auto measurements = measure_all(request, systems, references, metrics::CorpusStatistics(0, 0));
  if (!request.by_length) return {std::move(names), references.size(), std::move(measurements), {}};
  const TextLines by =
      request.source.empty() ? references.front() : read_lines(request.source, /*warns=*/false);
  return {std::move(names), references.size(), std::move(measurements), lengths_of(by, references)};
}

}  // namespace attend::app
