#include "metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/closest_name.h"
#include "core/error.h"
#include "metrics/ngrams.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

struct SmoothingEntry {
  Smoothing smoothing;
  std::string_view name;
  std::optional<double> default_value;
};

constexpr std::array kSmoothings{
    SmoothingEntry{Smoothing::kExp, "exp", std::nullopt},
    SmoothingEntry{Smoothing::kFloor, "floor", 0.1},
    SmoothingEntry{Smoothing::kAddK, "add-k", 1.0},
    SmoothingEntry{Smoothing::kNone, "none", std::nullopt},
};

constexpr double kMaxSmoothValue = 1e6;  // larger values give constant or infinite scores

const SmoothingEntry& entry_of(Smoothing smoothing) {
  return *std::ranges::find(kSmoothings, smoothing, &SmoothingEntry::smoothing);
}

double checked_smooth_value(const BleuOptions& options) {
  const SmoothingEntry& entry = entry_of(options.smoothing);
  if (!options.smooth_value) return entry.default_value.value_or(0.0);
  if (!entry.default_value) {
    throw UsageError(fmt::format(
        "smoothing \"{}\" takes no smoothing value; only floor and add-k do", entry.name));
  }
  if (!(*options.smooth_value >= 0 && *options.smooth_value <= kMaxSmoothValue)) {
    throw UsageError(fmt::format("the smoothing value is {}; expected 0 to {}",
                                 *options.smooth_value, kMaxSmoothValue));
  }
  return *options.smooth_value;
}

// Returns the length of the reference (texts 1, 2, ...) that is closest to the length of the
// hypothesis (text 0); of two equally close lengths, the shorter one.
std::size_t closest_length(std::span<const std::vector<uint32_t>> texts) {
  const std::size_t hypothesis = texts[0].size();
  const auto distance = [&](const std::vector<uint32_t>& text) {
    const std::size_t length = text.size();
    return std::pair(length > hypothesis ? length - hypothesis : hypothesis - length, length);
  };
  return std::ranges::min_element(texts.subspan(1), {}, distance)->size();
}

// Clips the count of each n-gram of the hypothesis (text 0) to its largest count in a reference.
uint64_t matches_of(const NgramNumbers& ngrams, std::size_t references) {
  auto allowed = ngrams.counts(1);
  for (std::size_t r = 2; r <= references; ++r) {
    std::ranges::transform(allowed, ngrams.counts(r), allowed.begin(), std::ranges::max);
  }
  return clipped_matches(ngrams.counts(0), allowed);
}

double brevity_penalty(const BleuCounts& counts) {
  if (counts.hypothesis_length >= counts.reference_length) return 1.0;
  if (counts.hypothesis_length == 0) return 0.0;
  return std::exp(1.0 - counts.reference_length / counts.hypothesis_length);
}

bool has_match(const BleuCounts& counts) {
  return std::ranges::any_of(counts.matches, [](double matches) { return matches > 0; });
}

struct Precisions {
  std::array<double, kMaxOrder> percent{};
  std::size_t order = kMaxOrder;  // number of orders in the mean
};

Precisions precisions_of(const BleuCounts& counts, const BleuOptions& options,
                         double smooth_value) {
  Precisions result;
  double halvings = 1.0;
  for (std::size_t n = 0; n < kMaxOrder; ++n) {
    const double added = options.smoothing == Smoothing::kAddK && n > 0 ? smooth_value : 0.0;
    const double matches = counts.matches[n] + added;
    const double candidates = counts.candidates[n] + added;
    if (candidates == 0) break;
    if (options.effective_order) result.order = n + 1;
    if (matches > 0) {
      result.percent[n] = 100.0 * matches / candidates;
    } else if (options.smoothing == Smoothing::kExp) {
      halvings *= 2.0;
      result.percent[n] = 100.0 / (halvings * candidates);
    } else if (options.smoothing == Smoothing::kFloor) {
      result.percent[n] = 100.0 * smooth_value / candidates;
    }
  }
  return result;
}

// The geometric mean; 0 if any value is 0.
double geometric_mean(std::span<const double> values) {
  double log_sum = 0.0;
  for (const double value : values) log_sum += std::log(value);
  return std::exp(log_sum / static_cast<double>(values.size()));
}

std::string details_of(const BleuCounts& counts, const Precisions& precisions, double penalty) {
  const double ratio =
      counts.reference_length > 0 ? counts.hypothesis_length / counts.reference_length : 0.0;
  std::vector<std::string> percents;
  for (const double percent : precisions.percent)
    percents.push_back(fmt::format("{:.1f}", percent));
  return fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                     join(percents, "/"), penalty, ratio, counts.hypothesis_length,
                     counts.reference_length);
}

}  // namespace

Smoothing parse_smoothing(std::string_view name) {
  for (const SmoothingEntry& entry : kSmoothings) {
    if (entry.name == name) return entry.smoothing;
  }
  const auto names = smoothing_names();
  throw UsageError(fmt::format("unknown BLEU smoothing \"{}\"{}; choices: {}", name,
                               did_you_mean(name, names), join(names)));
}

std::vector<std::string> smoothing_names() {
  std::vector<std::string> names;
  for (const SmoothingEntry& entry : kSmoothings) names.emplace_back(entry.name);
  return names;
}

Bleu::Bleu(const BleuOptions& options)
    : options_(options),
      tokenize_(find_tokenizer(options.tokenizer)),
      smooth_value_(checked_smooth_value(options)) {}

std::string Bleu::preprocess(std::string_view line) const {
  const std::string_view text = strip_end(line);
  return options_.lowercase ? tokenize_(lower_case(text)) : tokenize_(text);
}

std::vector<std::vector<uint32_t>> Bleu::tokens_of(const std::vector<std::string>& texts) const {
  TokenNumbers numbers;
  std::vector<std::vector<uint32_t>> tokens;
  for (const std::string& text : texts) tokens.push_back(numbers.number(split_whitespace(text)));
  return tokens;
}

std::vector<double> Bleu::pairwise_scores(std::span<const std::string> texts) const {
  const std::size_t count = texts.size();
  std::vector<std::string> lines;
  for (const std::string& text : texts) lines.push_back(preprocess(text));
  std::vector<std::vector<uint32_t>> tokens = tokens_of(lines);
  std::vector<BleuCounts> pairs(count * count);
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    pairs[pair].hypothesis_length = static_cast<double>(tokens[pair / count].size());
    pairs[pair].reference_length = static_cast<double>(tokens[pair % count].size());
  }
  NgramNumbers ngrams(std::move(tokens));
  for (std::size_t n = 0; n < kMaxOrder; ++n) {
    ngrams.next_order();
    const auto matches = ngrams.matches_of_all();
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      pairs[pair].matches[n] = static_cast<double>(matches[pair]);
      pairs[pair].candidates[n] = static_cast<double>(ngrams.total(pair / count));
    }
  }
  std::vector<double> scores;
  for (const BleuCounts& counts : pairs) scores.push_back(value(counts));
  return scores;
}

Statistics Bleu::segment_statistics(std::string_view hypothesis,
                                    std::span<const std::string_view> references) const {
  std::vector<std::string> texts{preprocess(hypothesis)};
  for (const std::string_view reference : references) texts.push_back(preprocess(reference));
  std::vector<std::vector<uint32_t>> tokens = tokens_of(texts);

  Statistics statistics(statistics_size());
  statistics[kHypothesisLength] = static_cast<double>(tokens[0].size());
  statistics[kReferenceLength] = static_cast<double>(closest_length(tokens));
  NgramNumbers ngrams(std::move(tokens));
  for (std::size_t n = 0; n < kMaxOrder; ++n) {
    ngrams.next_order();
    statistics[2 + n] = static_cast<double>(matches_of(ngrams, references.size()));
    statistics[2 + kMaxOrder + n] = static_cast<double>(ngrams.total(0));
  }
  return statistics;
}

Score Bleu::score(std::span<const double> statistics) const {
  BleuCounts counts{.hypothesis_length = statistics[kHypothesisLength],
                    .reference_length = statistics[kReferenceLength]};
  std::ranges::copy(statistics.subspan(2, kMaxOrder), counts.matches.begin());
  std::ranges::copy(statistics.subspan(2 + kMaxOrder, kMaxOrder), counts.candidates.begin());
  return score(counts);
}

Score Bleu::score(const BleuCounts& counts) const {
  const Precisions precisions =
      has_match(counts) ? precisions_of(counts, options_, smooth_value_) : Precisions{};
  return {value(counts), details_of(counts, precisions, brevity_penalty(counts))};
}

double Bleu::value(const BleuCounts& counts) const {
  // Without any match the score is 0, whatever the smoothing.
  if (!has_match(counts)) return 0.0;
  const Precisions precisions = precisions_of(counts, options_, smooth_value_);
  return brevity_penalty(counts) *
         geometric_mean(std::span(precisions.percent).first(precisions.order));
}

std::string Bleu::smoothing_signature() const {
  const SmoothingEntry& entry = entry_of(options_.smoothing);
  if (!entry.default_value) return std::string(entry.name);
  return fmt::format("{}[{:.2f}]", entry.name, smooth_value_);
}

std::string Bleu::options() const {
  return fmt::format("case:{}|eff:{}|tok:{}|smooth:{}", options_.lowercase ? "lc" : "mixed",
                     options_.effective_order ? "yes" : "no", options_.tokenizer,
                     smoothing_signature());
}

}  // namespace attend::metrics
