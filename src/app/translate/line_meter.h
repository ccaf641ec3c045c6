#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "data/reading.h"

namespace attend::app {

/// Is called as a command comes through its input; may be empty.
using ReportProgress = std::function<void(const data::ReadingProgress&)>;

/// Tells how a command comes through the lines of an input of which it reads many before it is done
/// with the first. Tells nothing of an input whose length nobody knows.
class LineMeter {
 public:
  /// How much of the input lies before a place in it.
  struct Place {
    int64_t lines = 0;
    double share = 0.0;  // LineReader::share_read()
  };

  /// `what` as in data::ReadingProgress. `report` is called by one thread at a time.
  LineMeter(ReportProgress report, const char* what);

  /// All before `place` is done with.
  void pass(const Place& place);
  /// All before `place` has been read.
  void read(const Place& place);
  /// So many more of the lines that have been read are done with. Several threads may call it.
  void add(int64_t lines);

 private:
  ReportProgress report_;
  const char* what_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  Place passed_;
  Place read_;
  int64_t done_ = 0;  // lines behind passed_
};

}  // namespace attend::app
