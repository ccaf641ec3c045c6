#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace attend::train {

/// A translation of a sentence of the validation set, for display.
struct Sample {
  std::string source;
  std::string reference;
  std::string hypothesis;
  std::vector<std::string> source_pieces;  // columns of the attention, end symbol included
  std::vector<std::string> target_pieces;  // rows of the attention, end symbol included
  torch::Tensor attention;  // [T + 1, S] float; undefined without attention and for an empty source
};

/// The results of a validation for some of its batches. The results of several processes add up to
/// the result of one process, bit for bit: each batch is computed by one process, and the counts of
/// metrics are whole numbers.
struct Findings {
  std::vector<double> nll;  // nats, -log p of each batch's targets; 0 for other processes' batches
  metrics::Statistics statistics;     // of the metric, summed; empty: nothing was translated
  std::map<int64_t, Sample> samples;  // by index in the validation set sorted by length

  void add(Findings other);
  void add(const metrics::Statistics& of_sentence);
  /// Returns a binary form that read_findings() reads.
  [[nodiscard]] std::string written() const;
};

[[nodiscard]] Findings read_findings(const std::string& text);

}  // namespace attend::train
