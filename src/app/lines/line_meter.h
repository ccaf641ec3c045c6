#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "data/reading.h"

namespace attend::app {

/// Called as a command proceeds through its input; may be empty.
using ReportProgress = std::function<void(const data::ReadingProgress&)>;

/// Reports the progress of a command that reads many lines of its input ahead. Reports nothing for
/// an input of unknown length.
class LineMeter {
 public:
  /// A place in the input.
  struct Place {
    int64_t lines = 0;   // before the place
    double share = 0.0;  // LineReader::share_read()
  };

  /// `what` as in data::ReadingProgress. `report` is called by one thread at a time.
  LineMeter(ReportProgress report, const char* what);

  /// Tells that everything before `place` is done.
  void pass(const Place& place);
  /// Tells that everything before `place` has been read.
  void read(const Place& place);
  /// Tells that `lines` more of the lines read are done. Several threads may call it.
  void add(int64_t lines);

 private:
  ReportProgress report_;
  const char* what_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  Place passed_;
  Place read_;
  int64_t done_ = 0;  // lines done after passed_
};

}  // namespace attend::app
