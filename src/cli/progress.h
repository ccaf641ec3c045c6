#pragma once
#include <string>

#include "data/reading.h"
#include "train/observer.h"

namespace attend::cli {

/// "950", "8.4k", "1.2M".
[[nodiscard]] std::string short_count(double count);
/// "45s", "12m", "3h05m".
[[nodiscard]] std::string short_duration(double seconds);

/// Shows a run on standard error: a live line with rate and time left on a terminal, plain
/// `key=value` lines in the log otherwise. Not more than one object may live at a time.
class TrainingProgress final : public train::TrainObserver {
 public:
  /// `quiet`: no live line even on a terminal.
  explicit TrainingProgress(bool quiet);
  ~TrainingProgress() override;
  TrainingProgress(const TrainingProgress&) = delete;
  TrainingProgress& operator=(const TrainingProgress&) = delete;

  /// A line every ten seconds in the log.
  void on_reading(const data::ReadingProgress& report);
  void on_update(const train::UpdateReport& report) override;
  void on_interval(const train::IntervalReport& report) override;
  void on_validation(const train::ValidationReport& report) override;
  void on_skip(const train::SkipReport& report) override;
  void on_save_error(const train::SaveErrorReport& report) override;

 private:
  [[nodiscard]] std::string time_left(const train::RunPoint& point) const;
  void show_live(const train::UpdateReport& report);
  void show_line(std::string line) const;

  bool live_ = false;  // standard error is a terminal
  bool started_ = false;
  data::ReadingProgress read_;  // what was shown last
  train::RunPoint start_;       // where this process took over
  train::RunPoint shown_;       // when the live line was written last
  int64_t tokens_since_shown_ = 0;
};

}  // namespace attend::cli
