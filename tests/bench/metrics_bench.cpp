// Times scoring of 3,000 segments of about 25 words and 140 characters on one core.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "metrics/registry.h"
#include "metrics/resampling.h"
#include "metrics/significance.h"

namespace attend::metrics {
namespace {

constexpr std::size_t kSegments = 3000;
constexpr uint64_t kSeed = 1;

using Words = std::vector<std::string>;

std::string word(uint64_t number) {
  std::string text;
  for (uint64_t rest = number + 7; rest > 0; rest /= 19) {
    text += "bcdfghklmnprstvwxzj"[rest % 19];
    text += "aeiou"[rest % 5];
  }
  return text;
}

// Word frequencies are skewed as in natural language: the rank is a power of a uniform number.
Words sentence(Random& random) {
  Words words;
  const std::size_t length = 15 + random.below(21);
  for (std::size_t i = 0; i < length; ++i)
    words.push_back(word(static_cast<uint64_t>(8000 * std::pow(random.uniform(), 4.0))));
  words.back() += '.';
  return words;
}

// A translation of medium quality, with words replaced, dropped and added and a phrase moved.
Words translation(const Words& reference, Random& random) {
  Words words;
  for (const std::string& each : reference) {
    const double chance = random.uniform();
    if (chance < 0.1) continue;
    words.push_back(chance < 0.4 ? sentence(random)[0] : each);
    if (chance > 0.93) words.push_back(sentence(random)[1]);
  }
  const auto at = static_cast<std::ptrdiff_t>(random.below(words.size() / 2 + 1));
  const auto size = std::min<std::ptrdiff_t>(4, std::ssize(words) - at);
  std::rotate(words.begin(), words.begin() + at, words.begin() + at + size);
  return words;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : " ") + each;
  return text;
}

struct Corpus {
  Words baseline;
  Words system;
  References references{{}};
};

const Corpus& corpus() {
  static const Corpus corpus = [] {
    Corpus made;
    Random random = stream(kSeed, "metrics_bench");
    for (std::size_t i = 0; i < kSegments; ++i) {
      const Words reference = sentence(random);
      made.references[0].push_back(joined(reference));
      made.baseline.push_back(joined(translation(reference, random)));
      made.system.push_back(joined(translation(reference, random)));
    }
    return made;
  }();
  return corpus;
}

void score(benchmark::State& state, const char* name, const MetricOptions& options) {
  const Corpus& data = corpus();
  const auto metric = make_metric(name, options);
  double score = 0.0;
  for (auto _ : state) {
    score = corpus_score(*metric, data.system, data.references).value;
    benchmark::DoNotOptimize(score);
  }
  state.counters["score"] = score;
}

using Test = std::vector<TestedScore> (*)(const Scorer&, std::span<const CorpusStatistics>,
                                          const Trials&);

// Compares two systems, including their statistics.
void compare(benchmark::State& state, const char* name, Test test, std::size_t trials) {
  const Corpus& data = corpus();
  const auto metric = make_metric(name, {});
  double p_value = 0.0;
  for (auto _ : state) {
    const std::vector<CorpusStatistics> systems{
        corpus_statistics(*metric, data.baseline, data.references),
        corpus_statistics(*metric, data.system, data.references)};
    p_value = test(*metric, systems, {trials, kSeed})[1].p_value.value();
    benchmark::DoNotOptimize(p_value);
  }
  state.counters["p"] = p_value;
}

BENCHMARK_CAPTURE(score, bleu_13a, "bleu", {})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score, bleu_intl, "bleu", {.bleu = {.tokenizer = "intl"}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score, chrf, "chrf", {})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score, chrf_plus_plus, "chrf", {.chrf = {.word_order = 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score, ter, "ter", {})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, bleu_bootstrap_1000, "bleu", paired_bootstrap, 1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, chrf_bootstrap_1000, "chrf", paired_bootstrap, 1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, bleu_randomization_10000, "bleu", paired_randomization, 10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace attend::metrics

BENCHMARK_MAIN();
