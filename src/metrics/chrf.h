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
  double beta = 2.0;           ///< how much more recall weighs than precision
  bool whitespace = false;     ///< whether character n-grams contain whitespace
};

/// chrF (Popović 2015) and chrF++ (Popović 2017) as sacreBLEU 2.x computes them, in 0 .. 100:
///   F = (1 + beta^2) P R / (beta^2 P + R),
/// P and R the means of precision and recall over the orders that both sides have ("effective
/// order"), from counts summed over the segments. Of several references each segment takes the one
/// with its best F (the first of equals).
class Chrf final : public Metric {
 public:
  /// The longest n-grams that options may ask for.
  static constexpr std::size_t kMaxOrder = 100;
  /// The largest beta; its square must be finite.
  static constexpr double kMaxBeta = 1e6;

  /// Throws UsageError if both orders are 0, one is above kMaxOrder, or beta is not in
  /// 0 .. kMaxBeta.
  explicit Chrf(const ChrfOptions& options);

  /// "chrF2", "chrF2++": beta, and a plus for every word order.
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::size_t statistics_size() const override { return 3 * orders(); }
  /// For every order, characters first, n-grams of the hypothesis (0 where the reference is too
  /// short to have any), n-grams of the reference, clipped matches.
  [[nodiscard]] Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const override;
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::vector<double> pairwise_scores(
      std::span<const std::string> texts) const override;
  [[nodiscard]] std::string options() const override;

 private:
  [[nodiscard]] std::size_t orders() const { return options_.char_order + options_.word_order; }
  /// What n-grams are made of, of each text: characters, and words if they count.
  struct Symbols {
    std::vector<std::vector<uint32_t>> characters;
    std::vector<std::vector<uint32_t>> words;
  };

  [[nodiscard]] Symbols symbols_of(std::vector<std::string> lines) const;
  [[nodiscard]] double f_score(std::span<const double> statistics) const;
  /// Counts the orders 1 .. `orders` of the texts (the hypothesis, then the references) and appends
  /// them to the statistics of each reference.
  static void append_counts(std::vector<std::vector<uint32_t>> texts, std::size_t orders,
                            std::vector<Statistics>& by_reference);

  ChrfOptions options_;
};

/// The words that chrF++ counts: `text` split at whitespace, and one ASCII punctuation character
/// split off the end of a word or else off its start. The views point into `text`.
[[nodiscard]] std::vector<std::string_view> chrf_words(std::string_view text);

}  // namespace attend::metrics
