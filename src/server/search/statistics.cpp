#include "server/search/statistics.h"

#include <fmt/format.h>

namespace attend::server {
namespace {

std::string head(const std::string& name, const std::string& type, const std::string& help) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

template <class Number>
std::string single(const std::string& name, const std::string& type, const std::string& help,
                   Number value) {
  return head(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::add(double value) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) counts_[i] += value <= bounds_[i] ? 1 : 0;
  ++counts_.back();
  sum_ += value;
}

std::string Histogram::text(const std::string& name) const {
  std::string text;
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, bounds_[i], counts_[i]);
  return text + fmt::format("{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name,
                            counts_.back(), sum_);
}

void Statistics::add_request(const std::string& path, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{path, status}];
  request_seconds_.add(seconds);
}

void Statistics::add_batch(int64_t lines, double seconds) {
  const std::lock_guard lock(mutex_);
  batch_lines_.add(static_cast<double>(lines));
  search_seconds_ += seconds;
}

void Statistics::add_pieces(int64_t source, int64_t target) {
  const std::lock_guard lock(mutex_);
  source_pieces_ += source;
  target_pieces_ += target;
}

void Statistics::set_waiting(int64_t lines) {
  const std::lock_guard lock(mutex_);
  waiting_ = lines;
}

std::string Statistics::text() const {
  const std::lock_guard lock(mutex_);
  std::string text = head("attend_requests_total", "counter", "Requests answered.");
  for (const auto& [key, count] : requests_) {
    text += fmt::format("attend_requests_total{{path=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  text +=
      head("attend_request_seconds", "histogram", "Time from a complete request to its answer.");
  text += request_seconds_.text("attend_request_seconds");
  text += head("attend_batch_lines", "histogram", "Lines searched together.");
  text += batch_lines_.text("attend_batch_lines");
  text +=
      single("attend_search_seconds_total", "counter", "Time spent in searches.", search_seconds_);
  text += single("attend_source_pieces_total", "counter", "Source pieces read.", source_pieces_);
  text +=
      single("attend_target_pieces_total", "counter", "Target pieces generated.", target_pieces_);
  return text + single("attend_waiting_lines", "gauge", "Lines in the queue.", waiting_);
}

}  // namespace attend::server
