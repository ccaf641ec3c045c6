#pragma once
#include <filesystem>
#include <string>

#include "app/translate/line_meter.h"
#include "cli/live_line.h"
#include "data/reading.h"

namespace attend::cli {

/// "950", "8.4k", "1.2M".
[[nodiscard]] std::string short_count(double count);
/// "45s", "12m", "3h05m".
[[nodiscard]] std::string short_duration(double seconds);
/// How long a share of something will take of which the share `done` took `seconds`: a duration as
/// above, or "?" where too little is done to tell.
[[nodiscard]] std::string time_for(double share, double done, double seconds);
/// A second; 0 in no time.
[[nodiscard]] double rate(int64_t count, double seconds);

/// Shows how the lines of a text are gone through, with rate and time left: on the live line, or
/// every ten seconds in the log.
class LineProgress {
 public:
  explicit LineProgress(const LiveLine& live) : live_(live) {}

  void report(const data::ReadingProgress& report);

 private:
  const LiveLine& live_;
  data::ReadingProgress first_;  // of what is being done
  data::ReadingProgress shown_;  // last
};

/// The progress of a command, unless it is `quiet`.
class CommandProgress {
 public:
  /// `output`: where results go line by line; empty: they come at the end. There is no progress to
  /// see where they go to a terminal, which shows how far they are.
  explicit CommandProgress(bool quiet, const std::filesystem::path& output = {});

  /// Is valid as long as the object.
  [[nodiscard]] app::ReportProgress reporter();

 private:
  bool hidden_;
  LiveLine live_;
  LineProgress lines_{live_};
};

}  // namespace attend::cli
