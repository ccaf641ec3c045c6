#pragma once
#include <filesystem>
#include <string>

#include "app/lines/line_meter.h"
#include "cli/live_line.h"
#include "data/reading.h"

namespace attend::cli {

/// "950", "8.4k", "1.2M".
[[nodiscard]] std::string short_count(double count);
/// "45s", "12m", "3h05m".
[[nodiscard]] std::string short_duration(double seconds);
/// Estimated duration of `share` of a task, given that the share `done` took `seconds`; "?" if too
/// little is done for an estimate.
[[nodiscard]] std::string time_for(double share, double done, double seconds);
/// `count` per second; 0 if `seconds` is 0.
[[nodiscard]] double rate(int64_t count, double seconds);

/// Shows progress through the lines of a text, with rate and time left: on the live line, or in the
/// log every ten seconds.
class LineProgress {
 public:
  explicit LineProgress(const LiveLine& live) : live_(live) {}

  void report(const data::ReadingProgress& report);

 private:
  const LiveLine& live_;
  data::ReadingProgress first_;  // first report of the current activity
  data::ReadingProgress shown_;  // last report shown
};

/// Shows the progress of a command.
class CommandProgress {
 public:
  /// `output`: the file or terminal that gets results line by line; empty: results come at the end.
  /// Shows nothing if `quiet` or if the results go to a terminal.
  explicit CommandProgress(bool quiet, const std::filesystem::path& output = {});

  /// The result must not outlive this object.
  [[nodiscard]] app::ReportProgress reporter();

 private:
  bool hidden_;
  LiveLine live_;
  LineProgress lines_{live_};
};

}  // namespace attend::cli
