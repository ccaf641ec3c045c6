#include "metrics/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/utf8.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

void check(const ChrfOptions& options) {
  if (options.char_order + options.word_order == 0) {
    throw UsageError(
        "chrF: the character and word orders are both 0; at least one must be positive");
  }
  for (const std::size_t order : {options.char_order, options.word_order}) {
    if (order <= Chrf::kMaxOrder) continue;
    throw UsageError(fmt::format("chrF: order {} exceeds the limit {}", order, Chrf::kMaxOrder));
  }
  if (!(options.beta >= 0 && options.beta <= Chrf::kMaxBeta)) {
    throw UsageError(fmt::format("chrF: beta {}; expected 0 to {}", options.beta, Chrf::kMaxBeta));
  }
}

std::vector<uint32_t> code_points(std::string_view text, bool whitespace) {
  std::u32string characters;
  if (whitespace) {
    characters = utf8::decode(text);
  } else {
    for (const std::string_view word : split_whitespace(text)) characters += utf8::decode(word);
  }
  return {characters.begin(), characters.end()};
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

}  // namespace

Chrf::Chrf(const ChrfOptions& options) : options_(options) {
  check(options);
}

std::string Chrf::name() const {
  return fmt::format("chrF{}{}", options_.beta, std::string(options_.word_order, '+'));
}

Statistics Chrf::segment_statistics(std::string_view hypothesis,
                                    std::span<const std::string_view> references) const {
  std::vector<std::string> lines{std::string(strip_end(hypothesis))};
  for (const std::string_view reference : references) lines.emplace_back(strip_end(reference));
  Symbols symbols = symbols_of(std::move(lines));
  std::vector<Statistics> by_reference(references.size());
  append_counts(std::move(symbols.characters), options_.char_order, by_reference);
  append_counts(std::move(symbols.words), options_.word_order, by_reference);
  const auto f_score_of = [this](const Statistics& statistics) { return f_score(statistics); };
  return *std::ranges::max_element(by_reference, {}, f_score_of);
}

Chrf::Symbols Chrf::symbols_of(std::vector<std::string> lines) const {
  TokenNumbers numbers;  // of words in `lines`
  Symbols symbols;
  for (std::string& line : lines) {
    if (options_.lowercase) line = lower_case(line);
    symbols.characters.push_back(code_points(line, options_.whitespace));
    if (options_.word_order > 0) symbols.words.push_back(numbers.number(chrf_words(line)));
  }
  return symbols;
}

std::vector<double> Chrf::pairwise_scores(std::span<const std::string> texts) const {
  const std::size_t count = texts.size();
  std::vector<std::string> lines;
  for (const std::string& text : texts) lines.emplace_back(strip_end(text));
  Symbols symbols = symbols_of(std::move(lines));
  std::vector<Statistics> pairs(count * count);
  for (Statistics& statistics : pairs) statistics.reserve(statistics_size());
  const auto append = [&](std::vector<std::vector<uint32_t>> of_texts, std::size_t orders) {
    NgramNumbers ngrams(std::move(of_texts));
    for (std::size_t n = 1; n <= orders; ++n) {
      ngrams.next_order();
      const auto matches = ngrams.matches_of_all();
      for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        const std::size_t total = ngrams.total(pair % count);
        pairs[pair].push_back(total == 0 ? 0.0 : static_cast<double>(ngrams.total(pair / count)));
        pairs[pair].push_back(static_cast<double>(total));
        pairs[pair].push_back(static_cast<double>(matches[pair]));
      }
    }
  };
  append(std::move(symbols.characters), options_.char_order);
  if (options_.word_order > 0) append(std::move(symbols.words), options_.word_order);
  std::vector<double> scores;
  for (const Statistics& statistics : pairs) scores.push_back(f_score(statistics));
  return scores;
}

void Chrf::append_counts(std::vector<std::vector<uint32_t>> texts, std::size_t orders,
                         std::vector<Statistics>& by_reference) {
  NgramNumbers ngrams(std::move(texts));
  for (std::size_t n = 1; n <= orders; ++n) {
    ngrams.next_order();
    const auto hypothesis = ngrams.counts(0);
    for (std::size_t r = 0; r < by_reference.size(); ++r) {
      const std::size_t total = ngrams.total(r + 1);
      const auto matches = clipped_matches(hypothesis, ngrams.counts(r + 1));
      by_reference[r].push_back(total == 0 ? 0.0 : static_cast<double>(ngrams.total(0)));
      by_reference[r].push_back(static_cast<double>(total));
      by_reference[r].push_back(static_cast<double>(matches));
    }
  }
}

double Chrf::f_score(std::span<const double> statistics) const {
  double precision = 0.0;
  double recall = 0.0;
  double effective_order = 0.0;
  for (std::size_t i = 0; i < orders(); ++i) {
    const auto counts = statistics.subspan(3 * i, 3);
    if (counts[0] == 0 || counts[1] == 0) continue;
    precision += counts[2] / counts[0];
    recall += counts[2] / counts[1];
    effective_order += 1.0;
  }
  if (precision + recall == 0) return 0.0;
  precision /= effective_order;
  recall /= effective_order;
  const double factor = options_.beta * options_.beta;
  // Computes in the same order as sacreBLEU; otherwise rounding could decide between tied texts.
  const double score = (1.0 + factor) * precision * recall / (factor * precision + recall);
  return 100.0 * score;
}

Score Chrf::score(std::span<const double> statistics) const {
  return {f_score(statistics), ""};
}

std::string Chrf::options() const {
  return fmt::format("case:{}|eff:yes|nc:{}|nw:{}|space:{}", options_.lowercase ? "lc" : "mixed",
                     options_.char_order, options_.word_order, options_.whitespace ? "yes" : "no");
}

std::vector<std::string_view> chrf_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split_whitespace(text)) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace attend::metrics
