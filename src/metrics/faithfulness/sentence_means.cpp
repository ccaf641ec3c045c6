#include "metrics/faithfulness/sentence_means.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "core/signal.h"

namespace attend::metrics {

void SentenceMeans::begin_sentence() {
  ++sentences_;
  sums_.resize(sentences_ * quantities_);
}

void SentenceMeans::add(std::size_t quantity, double value) {
  if (std::isnan(value)) return;
  Sum& sum = sums_[(sentences_ - 1) * quantities_ + quantity];
  sum.value += value;
  sum.count += 1.0;
}

std::vector<SentenceMeans::Sum> SentenceMeans::sums_of(
    const std::vector<std::size_t>& sentences) const {
  std::vector<Sum> total(quantities_);
  for (const std::size_t sentence : sentences) {
    for (std::size_t q = 0; q < quantities_; ++q) {
      total[q].value += sums_[sentence * quantities_ + q].value;
      total[q].count += sums_[sentence * quantities_ + q].count;
    }
  }
  return total;
}

std::vector<MeasuredMean> SentenceMeans::means(const Trials& trials) const {
  std::vector<std::vector<double>> samples(quantities_);
  std::vector<std::size_t> drawn(sentences_);
  Random random = stream(trials.seed, "bootstrap");
  for (std::size_t t = 0; t < trials.number && sentences_ > 0; ++t) {
    stop_if_requested("stopped by a signal");
    for (std::size_t& sentence : drawn) sentence = random.below(sentences_);
    const std::vector<Sum> sums = sums_of(drawn);
    for (std::size_t q = 0; q < quantities_; ++q)
      if (sums[q].count > 0.0) samples[q].push_back(sums[q].value / sums[q].count);
  }
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  const std::vector<Sum> whole = sums_of(drawn);
  std::vector<MeasuredMean> result;
  for (std::size_t q = 0; q < quantities_; ++q) {
    result.push_back(
        {std::numeric_limits<double>::quiet_NaN(), 0.0, static_cast<int64_t>(whole[q].count)});
    if (whole[q].count > 0.0) result.back().value = whole[q].value / whole[q].count;
    if (!samples[q].empty())
      result.back().half_width = confidence_interval(std::move(samples[q])).half_width;
  }
  return result;
}

}  // namespace attend::metrics
