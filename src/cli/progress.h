#pragma once
#include <string>

#include "cli/line_progress.h"
#include "cli/live_line.h"
#include "data/reading.h"
#include "train/observer.h"

namespace attend::cli {

/// Shows a run on standard error: a live line with rate and time left on a terminal, plain
/// `key=value` lines in the log otherwise. At most one object may exist at a time.
class TrainingProgress final : public train::TrainObserver {
 public:
  /// `quiet`: no live line even on a terminal.
  explicit TrainingProgress(bool quiet);

  void on_reading(const data::ReadingProgress& report) { reading_.report(report); }
  void on_update(const train::UpdateReport& report) override;
  void on_interval(const train::IntervalReport& report) override;
  void on_validation(const train::ValidationReport& report) override;
  void on_skip(const train::SkipReport& report) override;
  void on_split(const train::SplitReport& report) override;
  void on_save_error(const train::SaveErrorReport& report) override;

 private:
  [[nodiscard]] std::string time_left(const train::RunPoint& point) const;
  void show_live(const train::UpdateReport& report);

  LiveLine live_;
  LineProgress reading_{live_};
  bool started_ = false;
  train::RunPoint start_;  // first update of this process
  train::RunPoint shown_;  // last update of the live line
  int64_t tokens_since_shown_ = 0;
};

}  // namespace attend::cli
