#include "metrics/registry.h"

#include <fmt/format.h>

#include <array>

#include "core/closest_name.h"
#include "core/error.h"
#include "metrics/exact_match.h"
#include "metrics/length_ratio.h"
#include "metrics/ter.h"

namespace attend::metrics {
namespace {

std::unique_ptr<Metric> make_bleu(const MetricOptions& options) {
  BleuOptions bleu = options.bleu;
  bleu.lowercase = options.lowercase;
  bleu.effective_order = options.sentence_level;
  return std::make_unique<Bleu>(bleu);
}

std::unique_ptr<Metric> make_chrf(const MetricOptions& options) {
  ChrfOptions chrf = options.chrf;
  chrf.lowercase = options.lowercase;
  return std::make_unique<Chrf>(chrf);
}

std::unique_ptr<Metric> make_ter(const MetricOptions& options) {
  return std::make_unique<Ter>(options.ter);
}

std::unique_ptr<Metric> make_length(const MetricOptions& options) {
  return std::make_unique<LengthRatio>(options.bleu);
}

std::unique_ptr<Metric> make_exact(const MetricOptions& options) {
  return std::make_unique<ExactMatch>(options.lowercase);
}

struct Entry {
  std::string_view name;
  std::unique_ptr<Metric> (*make)(const MetricOptions&);
};

// To add a metric, add a file and a line here.
constexpr std::array kMetrics{
    Entry{"bleu", make_bleu},   Entry{"chrf", make_chrf},     Entry{"ter", make_ter},
    Entry{"exact", make_exact}, Entry{"length", make_length},
};

}  // namespace

std::unique_ptr<Metric> make_metric(std::string_view name, const MetricOptions& options) {
  for (const Entry& entry : kMetrics) {
    if (entry.name == name) return entry.make(options);
  }
  const auto names = metric_names();
  throw UsageError(fmt::format("unknown metric \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kMetrics) names.emplace_back(entry.name);
  return names;
}

}  // namespace attend::metrics
