#include "app/evaluate/rerank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "app/evaluate/n_best_list.h"
#include "app/evaluate/unspaced_references.h"
#include "app/lines/text_lines.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/option_name.h"
#include "core/signal.h"
#include "core/utf8.h"
#include "metrics/registry.h"
#include "metrics/weight_tuning.h"

namespace attend::app {
namespace {

constexpr const char* kWords = "words";

void check_names(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) == name) continue;
    throw UsageError(fmt::format(
        "{} {}: a feature of this name already exists (\"score\" and \"words\" are built in)",
        option_name("feature"), *name));
  }
}

std::unique_ptr<metrics::Metric> make_rerank_metric(const RerankMetric& metric, bool sentences) {
  metrics::MetricOptions options;
  options.sentence_level = sentences;
  options.bleu.tokenizer = metric.tokenizer;
  options.lowercase = metric.lowercase;
  return metrics::make_metric(metric.name, options);
}

std::vector<std::string> read_references(const std::filesystem::path& path,
                                         const RerankLists& lists, const RerankMetric& metric) {
  TextLines references = read_lines(path);
  if (references.lines.size() == lists.lists.size()) {
    if (metric.name == "bleu") warn_of_unspaced_references(references.lines, metric.tokenizer);
    return std::move(references.lines);
  }
  throw DataError(fmt::format("{} has lists for {} input lines, but {} has {} lines",
                              lists.path.string(), lists.lists.size(), path.string(),
                              references.lines.size()));
}

metrics::Statistics statistics_of(const metrics::Metric& metric, const std::string& text,
                                  std::string_view reference) {
  return metric.segment_statistics(text, std::span(&reference, 1));
}

metrics::CandidateLists candidates_of(const RerankLists& lists, const metrics::Metric& metric,
                                      const std::vector<std::string>& references) {
  metrics::CandidateLists all;
  for (const auto& list : lists.lists) {
    stop_if_requested("stopped by a signal; nothing was written");
    const std::string& reference = references[all.size()];
    auto& candidates = all.emplace_back();
    for (const RankedText& text : list)
      candidates.push_back({text.features, statistics_of(metric, text.text, reference)});
  }
  return all;
}

/// The weights in the order of the features.
std::vector<double> ordered_weights(const RerankLists& lists, const FeatureWeights& weights,
                                    const std::filesystem::path& source) {
  for (const auto& [name, weight] : weights) {
    if (std::ranges::count(lists.names, name) > 0) continue;
    throw DataError(source,
                    fmt::format("has a weight for \"{}\", which is not a feature here; give "
                                "{} {}=FILE (features: {})",
                                name, option_name("feature"), name, join(lists.names)));
  }
  std::vector<double> ordered;
  for (const std::string& name : lists.names) {
    const auto found = weights.find(name);
    if (found == weights.end() && name != kWords)
      throw DataError(source, fmt::format("has no weight for the feature \"{}\"", name));
    ordered.push_back(found == weights.end() ? 0.0 : found->second);
  }
  return ordered;
}

std::vector<std::string> chosen_by_reference(const RerankLists& lists,
                                             const std::vector<std::string>& references,
                                             const RerankMetric& options) {
  const auto metric = make_rerank_metric(options, true);
  std::vector<std::string> chosen;
  for (const auto& list : lists.lists) {
    stop_if_requested("stopped by a signal; nothing was written");
    const std::string& reference = references[chosen.size()];
    std::vector<double> scores;
    for (const RankedText& text : list)
      scores.push_back(metric->score(statistics_of(*metric, text.text, reference)).value);
    const auto best = std::ranges::max_element(scores) - scores.begin();
    chosen.push_back(list[static_cast<std::size_t>(best)].text);
  }
  return chosen;
}

[[noreturn]] void report_no_weights(const std::filesystem::path& path) {
  throw DataError(path,
                  "is not a weights file; expected {\"weights\": {\"score\": NUMBER, ...}}, as " +
                      option_name("tune") + " writes it");
}

}  // namespace

std::vector<std::string> rerank_metric_names() {
  return {"bleu", "chrf"};
}

RerankLists read_rerank_lists(const std::filesystem::path& n_best,
                              const std::vector<FeatureFile>& features) {
  RerankLists result{n_best, {"score", kWords}, {}};
  for (const FeatureFile& feature : features) result.names.push_back(feature.name);
  check_names(result.names);
  NBestLists lists = read_n_best(n_best);
  std::vector<std::vector<double>> scores;
  for (const FeatureFile& feature : features) scores.push_back(read_scores(feature.path, lists));
  std::size_t line = 0;
  for (auto& list : lists.lists) {
    auto& texts = result.lists.emplace_back();
    for (NBestEntry& entry : list) {
      const auto words = static_cast<double>(utf8::word_spans(entry.text).size());
      texts.push_back({std::move(entry.text), {entry.score, words}});
      for (const auto& column : scores) texts.back().features.push_back(column[line]);
      ++line;
    }
  }
  return result;
}

FeatureWeights read_weights(const std::filesystem::path& path) {
  const auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("weights") || !json["weights"].is_object())
    report_no_weights(path);
  FeatureWeights weights;
  for (const auto& [name, value] : json["weights"].items()) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) report_no_weights(path);
    weights[name] = value.get<double>();
  }
  return weights;
}

std::vector<std::string> choose_by_weights(const RerankLists& lists, const FeatureWeights& weights,
                                           const std::filesystem::path& source) {
  const std::vector<double> ordered = ordered_weights(lists, weights, source);
  std::vector<std::string> chosen;
  for (const auto& list : lists.lists) {
    std::vector<metrics::Candidate> candidates;
    for (const RankedText& text : list) candidates.push_back({text.features, {}});
    chosen.push_back(list[metrics::best_candidate(candidates, ordered)].text);
  }
  return chosen;
}

std::vector<std::string> choose_by_reference(const RerankLists& lists,
                                             const std::filesystem::path& references,
                                             const RerankMetric& metric) {
  return chosen_by_reference(lists, read_references(references, lists, metric), metric);
}

RerankTuning tune_rerank(const RerankLists& lists, const std::filesystem::path& references,
                         const RerankMetric& options) {
  const auto metric = make_rerank_metric(options, false);
  const std::vector<std::string> lines = read_references(references, lists, options);
  const metrics::CandidateLists candidates = candidates_of(lists, *metric, lines);
  std::vector<double> start(lists.names.size(), 0.0);
  RerankTuning tuning;
  tuning.first = metrics::score_of_choice(*metric, candidates, start);  // a tie: the first text
  start.front() = 1.0;
  const metrics::TunedWeights tuned = metrics::tune_weights(*metric, candidates, start);
  for (std::size_t i = 0; i < start.size(); ++i) tuning.weights[lists.names[i]] = tuned.weights[i];
  tuning.tuned = tuned.score;
  tuning.oracle =
      metrics::corpus_score(*metric, chosen_by_reference(lists, lines, options), {lines}).value;
  tuning.signature = metric->name() + "|" + metric->signature(1);
  return tuning;
}

std::string weights_json(const RerankTuning& tuning) {
  const nlohmann::ordered_json json = {{"weights", tuning.weights},
                                       {"metric", tuning.signature},
                                       {"first", tuning.first},
                                       {"tuned", tuning.tuned},
                                       {"oracle", tuning.oracle}};
  return json.dump(2) + "\n";
}

}  // namespace attend::app
