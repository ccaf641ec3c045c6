#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace attend::server {

/// A histogram of values with the given upper bounds.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void add(double value);
  /// The histogram in Prometheus' text format.
  [[nodiscard]] std::string text(const std::string& name) const;

 private:
  std::vector<double> bounds_;
  std::vector<int64_t> counts_;  // number of values up to each bound, and of all values
  double sum_ = 0.0;
};

/// Counters since the start of the server. Thread-safe.
class Statistics {
 public:
  void add_request(const std::string& path, int status, double seconds);
  void add_batch(int64_t lines, double seconds);
  void add_pieces(int64_t source, int64_t target);
  void set_waiting(int64_t lines);

  /// Prometheus' text format, version 0.0.4.
  [[nodiscard]] std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
  Histogram request_seconds_{{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0}};
  Histogram batch_lines_{{1, 2, 4, 8, 16, 32, 64, 128}};
  double search_seconds_ = 0.0;
  int64_t source_pieces_ = 0;
  int64_t target_pieces_ = 0;
  int64_t waiting_ = 0;
};

}  // namespace attend::server
