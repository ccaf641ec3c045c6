#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/tokenizer/tokenizers.h"

namespace attend::metrics {

/// The longest n-gram that BLEU counts.
inline constexpr std::size_t kMaxOrder = 4;

/// How to smooth n-gram orders without a match (Chen & Cherry 2014, "A Systematic Comparison of
/// Smoothing Techniques for Sentence-Level BLEU").
enum class Smoothing {
  kNone,   ///< precision 0, so the score is 0
  kFloor,  ///< technique 1: replace zero counts by the value (default 0.1)
  kAddK,   ///< technique 2: add the value (default 1) to matches and totals of orders above 1
  kExp,    ///< technique 3: replace the first, second, ... zero count by 1/2, 1/4, ...
};

/// Parses "exp", "floor", "add-k" or "none". Throws UsageError that lists the choices.
[[nodiscard]] Smoothing parse_smoothing(std::string_view name);
[[nodiscard]] std::vector<std::string> smoothing_names();

struct BleuOptions {
  bool lowercase = false;
  std::string tokenizer = "13a";
  Smoothing smoothing = Smoothing::kExp;
  /// The value for floor or add-k smoothing; if unset, the default of that method.
  std::optional<double> smooth_value = std::nullopt;
  bool effective_order = false;  ///< ignore orders longer than the segment, for sentence scores
};

/// The counts from which BLEU is computed, summed over segments.
struct BleuCounts {
  double hypothesis_length = 0;                ///< tokens
  double reference_length = 0;                 ///< tokens of the references closest in length
  std::array<double, kMaxOrder> matches{};     ///< clipped matches of order 1, 2, ...
  std::array<double, kMaxOrder> candidates{};  ///< n-grams of the hypotheses
};

/// BLEU (Papineni et al. 2002), identical to sacreBLEU 2.x (Post 2018). The score is in 0 .. 100.
class Bleu final : public Metric {
 public:
  /// Positions of BleuCounts::hypothesis_length and reference_length in the statistics.
  static constexpr std::size_t kHypothesisLength = 0;
  static constexpr std::size_t kReferenceLength = 1;

  /// Throws UsageError for an unknown tokenizer, and for a smooth_value that is not in 0 .. 1e6 or
  /// that the smoothing does not use.
  explicit Bleu(const BleuOptions& options);

  [[nodiscard]] std::string name() const override { return "BLEU"; }
  [[nodiscard]] std::size_t statistics_size() const override { return 2 + 2 * kMaxOrder; }
  [[nodiscard]] Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const override;
  [[nodiscard]] Score score(std::span<const double> statistics) const override;
  [[nodiscard]] std::vector<double> pairwise_scores(
      std::span<const std::string> texts) const override;
  [[nodiscard]] std::string options() const override;

  /// Computes the score from the counts.
  [[nodiscard]] Score score(const BleuCounts& counts) const;
  /// Returns the number alone, without Score::details.
  [[nodiscard]] double value(const BleuCounts& counts) const;

 private:
  [[nodiscard]] std::vector<std::vector<uint32_t>> tokens_of(
      const std::vector<std::string>& texts) const;
  [[nodiscard]] std::string preprocess(std::string_view line) const;
  [[nodiscard]] std::string smoothing_signature() const;

  BleuOptions options_;
  TokenizeFunction tokenize_;
  double smooth_value_;
};

}  // namespace attend::metrics
