#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend::metrics {

/// A metric's counts for one segment. The corpus score depends only on their sum over segments, so
/// corpus scores, sentence scores and resampling share one interface.
using Statistics = std::vector<double>;

/// The result of a metric.
struct Score {
  double value = 0.0;
  /// Text printed after the number ("60.1/34.9/... (BP = ...)"); may be empty.
  std::string details;
};

/// How a score was resampled; part of its signature.
struct Resampling {
  std::optional<std::size_t> bootstrap;      ///< number of bootstrap samples
  std::optional<std::size_t> randomization;  ///< number of randomization trials
  std::optional<uint64_t> seed;
};

/// Computes a score from summed statistics. Stateless after construction and thread-safe.
class Scorer {
 public:
  virtual ~Scorer() = default;

  /// The name printed before the score: "BLEU".
  [[nodiscard]] virtual std::string name() const = 0;

  /// The length of this metric's Statistics.
  [[nodiscard]] virtual std::size_t statistics_size() const = 0;

  /// Computes the score from the statistics of one segment or from a sum of statistics.
  [[nodiscard]] virtual Score score(std::span<const double> statistics) const = 0;

  /// The options that change the score, in sacreBLEU's form: "case:mixed|eff:no|tok:13a".
  [[nodiscard]] virtual std::string options() const = 0;

  /// The number of decimals to print.
  [[nodiscard]] virtual int decimals() const { return 2; }

  /// Everything that changes the score, in sacreBLEU's form and order:
  /// "nrefs:1|bs:1000|seed:1|case:mixed|...|version:...".
  [[nodiscard]] std::string signature(std::size_t references,
                                      const Resampling& resampling = {}) const;
};

/// A metric that compares a translation with reference translations.
class Metric : public Scorer {
 public:
  /// The statistics of one segment against all its references.
  /// Requires: well-formed UTF-8; at least one reference.
  [[nodiscard]] virtual Statistics segment_statistics(
      std::string_view hypothesis, std::span<const std::string_view> references) const = 0;

  /// Scores each of N texts with each of them as the only reference. Returns N * N scores; number i
  /// * N + j is that of text i with reference j. Requires: well-formed UTF-8.
  [[nodiscard]] virtual std::vector<double> pairwise_scores(
      std::span<const std::string> texts) const;
};

/// The statistics of all segments, one row per segment, in one block.
class CorpusStatistics {
 public:
  CorpusStatistics(std::size_t segments, std::size_t width);

  [[nodiscard]] std::size_t segments() const { return width_ == 0 ? 0 : values_.size() / width_; }
  [[nodiscard]] std::span<double> row(std::size_t segment);
  [[nodiscard]] std::span<const double> row(std::size_t segment) const;
  /// The sum over all segments; zeros if there are none.
  [[nodiscard]] Statistics sum() const;

 private:
  std::size_t width_;
  std::vector<double> values_;
};

/// One vector of lines per reference file.
using References = std::vector<std::vector<std::string>>;

/// The statistics of every line. Throws std::logic_error if there are no references or line counts
/// differ, and Stopped after a signal.
[[nodiscard]] CorpusStatistics corpus_statistics(const Metric& metric,
                                                 std::span<const std::string> hypotheses,
                                                 const References& references);

/// The score of a whole corpus. Throws what corpus_statistics() throws.
[[nodiscard]] Score corpus_score(const Metric& metric, std::span<const std::string> hypotheses,
                                 const References& references);

/// The program's own part of a signature: "version:attend-0.2.0".
[[nodiscard]] std::string version_signature();

}  // namespace attend::metrics
