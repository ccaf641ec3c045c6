#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/resampling.h"

namespace attend::metrics {

/// A mean with its 95 % interval.
struct MeasuredMean {
  double value = 0.0;       ///< NaN without values
  double half_width = 0.0;  ///< of confidence_interval() over bootstrap samples
  int64_t count = 0;        ///< values
};

/// Means of several quantities over the tokens of a text. Tokens of one sentence are not
/// independent, so intervals come from bootstrap samples of sentences.
class SentenceMeans {
 public:
  explicit SentenceMeans(std::size_t quantities) : quantities_(quantities) {}

  /// The values added next belong to a new sentence.
  void begin_sentence();
  /// Adds a value of a quantity; NaN, for undefined, is ignored. Requires: begin_sentence().
  void add(std::size_t quantity, double value);

  /// One mean per quantity. Samples without a value of a quantity are left out. Throws Stopped
  /// after a signal.
  [[nodiscard]] std::vector<MeasuredMean> means(const Trials& trials) const;

 private:
  struct Sum {
    double value = 0.0;
    double count = 0.0;
  };
  [[nodiscard]] std::vector<Sum> sums_of(const std::vector<std::size_t>& sentences) const;

  std::size_t quantities_;
  std::size_t sentences_ = 0;
  std::vector<Sum> sums_;  // [sentence, quantity]
};

}  // namespace attend::metrics
