#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace attend::train {

/// A translation of the development text, to be looked at.
struct Sample {
  std::string source;
  std::string reference;
  std::string hypothesis;
  std::vector<std::string> source_pieces;  // columns of the attention, end symbol included
  std::vector<std::string> target_pieces;  // its rows, end symbol included
  torch::Tensor attention;                 // [T + 1, S] float; undefined without attention
                                           // and for an empty source
};

/// What a validation finds of some of its batches. Those of several processes add up to what one
/// finds of all, bit for bit: numbers of a batch are computed by one process, and the counts of
/// metrics are whole numbers.
struct Findings {
  std::vector<double> nll;            // -log p of the targets, nats, by batch; 0 of another's batch
  metrics::Statistics statistics;     // of the metric, summed; empty: nothing was translated
  std::map<int64_t, Sample> samples;  // by their place in the order of the text by length

  void add(Findings other);
  void add(const metrics::Statistics& of_sentence);
  /// Binary, as read_findings() reads it.
  [[nodiscard]] std::string written() const;
};

[[nodiscard]] Findings read_findings(const std::string& text);

}  // namespace attend::train
