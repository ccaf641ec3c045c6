#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/ngrams.h"

namespace attend::metrics {

struct ChrfOptions {
  bool lowercase = false;
  std::size_t char_order = 6;  ///< longest n-gram of characters
  std::size_t word_order = 0;  ///< longest n-gram of words; 2 makes it chrF++
  double beta = 2.0;           ///< weight of recall relative to precision
  bool whitespace = false;     ///< include whitespace in character n-grams
};

/// chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU 2.x computes them, in 0 .. 100:
///   F = (1 + beta^2) P R / (beta^2 P + R),
/// where P and R are the means of precision and recall over the orders that both sides have
/// ("effective order"), from counts summed over the segments. With several references, each segment
/// uses the reference with its best F (the first one of a tie).
class Chrf final : public Metric {
 public:
  /// The largest allowed order.
  static constexpr std::size_t kMaxOrder = 100;
  /// The largest allowed beta; its square must be finite.
  static constexpr double kMaxBeta = 1e6;

  /// Throws UsageError if both orders are 0, one is above kMaxOrder, or beta is not in
  /// 0 .. kMaxBeta.
  explicit Chrf(const ChrfOptions& options);

  /// "chrF2" or "chrF2++": beta, and one "+" per word order.
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::size_t statistics_size() const override { return 3 * orders(); }
  /// Three numbers per order, character orders first: n-grams of the hypothesis (0 if the reference
  /// has no n-grams of that order), n-grams of the reference, and clipped matches.
  [[nodiscard]] Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const override;
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::vector<double> pairwise_scores(
      std::span<const std::string> texts) const override;
  [[nodiscard]] std::string options() const override;

 private:
  [[nodiscard]] std::size_t orders() const { return options_.char_order + options_.word_order; }
  /// The characters of each text, and its words if word_order > 0.
  struct Symbols {
    std::vector<std::vector<uint32_t>> characters;
    std::vector<std::vector<uint32_t>> words;
  };

  [[nodiscard]] Symbols symbols_of(std::vector<std::string> lines) const;
  [[nodiscard]] double f_score(std::span<const double> statistics) const;
  /// Counts the n-grams of orders 1 .. `orders` in the texts (the hypothesis, then the references)
  /// and appends the counts to the statistics of each reference.
  static void append_counts(std::vector<std::vector<uint32_t>> texts, std::size_t orders,
                            std::vector<Statistics>& by_reference);

  ChrfOptions options_;
};

/// The words that chrF++ counts: splits `text` at whitespace, then splits one ASCII punctuation
/// character off the end of each word, or else off its start. The views point into `text`.
[[nodiscard]] std::vector<std::string_view> chrf_words(std::string_view text);

}  // namespace attend::metrics
