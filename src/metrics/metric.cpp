#include "metrics/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/signal.h"

namespace attend::metrics {
namespace {

void check_sizes(std::size_t hypotheses, const References& references) {
  if (references.empty()) throw std::logic_error("corpus_statistics: no references");
  for (const auto& lines : references) {
    if (lines.size() == hypotheses) continue;
    throw std::logic_error(
        fmt::format("corpus_statistics: {} hypotheses, {} references", hypotheses, lines.size()));
  }
}

}  // namespace

std::string Scorer::signature(std::size_t references, const Resampling& resampling) const {
  std::string text = fmt::format("nrefs:{}", references);
  if (resampling.bootstrap) text += fmt::format("|bs:{}", *resampling.bootstrap);
  if (resampling.randomization) text += fmt::format("|ar:{}", *resampling.randomization);
  if (resampling.seed) text += fmt::format("|seed:{}", *resampling.seed);
  return fmt::format("{}|{}|{}", text, options(), version_signature());
}

std::vector<double> Metric::pairwise_scores(std::span<const std::string> texts) const {
  std::vector<double> scores;
  scores.reserve(texts.size() * texts.size());
  for (const std::string& hypothesis : texts) {
    for (const std::string_view reference : texts)
      scores.push_back(score(segment_statistics(hypothesis, std::span(&reference, 1))).value);
  }
  return scores;
}

CorpusStatistics::CorpusStatistics(std::size_t segments, std::size_t width)
    : width_(width), values_(segments * width, 0.0) {}

std::span<double> CorpusStatistics::row(std::size_t segment) {
  return std::span(values_).subspan(segment * width_, width_);
}

std::span<const double> CorpusStatistics::row(std::size_t segment) const {
  return std::span(values_).subspan(segment * width_, width_);
}

Statistics CorpusStatistics::sum() const {
  Statistics total(width_, 0.0);
  for (std::size_t i = 0; i < values_.size(); ++i) total[i % width_] += values_[i];
  return total;
}

CorpusStatistics corpus_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                   const References& references) {
  check_sizes(hypotheses.size(), references);
  CorpusStatistics all(hypotheses.size(), metric.statistics_size());
  std::vector<std::string_view> segment_references(references.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    stop_if_requested("stopped by a signal");
    for (std::size_t r = 0; r < references.size(); ++r) segment_references[r] = references[r][i];
    std::ranges::copy(metric.segment_statistics(hypotheses[i], segment_references),
                      all.row(i).begin());
  }
  return all;
}

Score corpus_score(const Metric& metric, std::span<const std::string> hypotheses,
                   const References& references) {
  return metric.score(corpus_statistics(metric, hypotheses, references).sum());
}

std::string version_signature() {
  return "version:attend-" ATTEND_VERSION;
}

}  // namespace attend::metrics
