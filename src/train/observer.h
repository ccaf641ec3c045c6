#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/validator.h"

namespace attend::train {

/// The progress of a run.
struct RunPoint {
  int64_t update = 0;
  double epochs = 0.0;   // passes over the data, with fractions
  double seconds = 0.0;  // in the training loop, including earlier parts of a resumed run
  double done = 0.0;     // share of the run, 0 .. 1; see share_done()
};

/// Reported after every applied update.
struct UpdateReport {
  RunPoint point;
  double loss = 0.0;  // nats per target token in this update
  int64_t target_tokens = 0;
};

/// Reported after every training.log_every updates: their means (NaN if all were skipped) and sums.
struct IntervalReport {
  RunPoint point;
  double loss = 0.0;           // nats per target token, without label smoothing
  double learning_rate = 0.0;  // of the last update
  double gradient_norm = 0.0;  // before clipping
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  int64_t skipped = 0;   // skipped updates
  double seconds = 0.0;  // spent on these updates, without validation
  std::optional<double> alignment_loss =
      std::nullopt;  // guided attention, per target token, unweighted
  std::optional<double> divergence = std::nullopt;  // R-Drop's two passes, nats per target token
  std::optional<double> risk = std::nullopt;  // minimum-risk training: expected cost per sentence
};

/// Reported after every validation.
struct ValidationReport {
  RunPoint point;
  ValidationResult result;
  int64_t averaged_snapshots = 0;  // 0: the weights of training (or their moving average)
  bool best = false;               // the best so far
  double seconds = 0.0;            // duration of the validation
};

/// Reported after an update that was skipped because a value was not finite.
struct SkipReport {
  RunPoint point;
  double loss = 0.0;
  double gradient_norm = 0.0;
  int64_t in_a_row = 0;
  std::string batch = {};  // its lines and lengths, as text
};

/// Reported when files could not be written but the run continues, or were not written because the
/// weights are not finite.
struct SaveErrorReport {
  RunPoint point;
  std::string message;  // what was not saved, and why
};

/// Reported when batches are computed in more parts than before because memory ran out.
struct SplitReport {
  RunPoint point;
  int64_t parts = 1;
  std::string batch;  // the batches of the update
};

/// Observes a run. Called from the training loop between updates, when the files are up to date.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_update(const UpdateReport& /*report*/) {}
  virtual void on_interval(const IntervalReport& /*report*/) {}
  virtual void on_validation(const ValidationReport& /*report*/) {}
  virtual void on_skip(const SkipReport& /*report*/) {}
  virtual void on_split(const SplitReport& /*report*/) {}
  virtual void on_save_error(const SaveErrorReport& /*report*/) {}
};

/// Forwards to several observers, in order.
class ObserverList final : public TrainObserver {
 public:
  /// `observers` are borrowed.
  explicit ObserverList(std::vector<TrainObserver*> observers) : observers_(std::move(observers)) {}

  void on_update(const UpdateReport& report) override;
  void on_interval(const IntervalReport& report) override;
  void on_validation(const ValidationReport& report) override;
  void on_skip(const SkipReport& report) override;
  void on_split(const SplitReport& report) override;
  void on_save_error(const SaveErrorReport& report) override;

 private:
  std::vector<TrainObserver*> observers_;
};

/// The lines of train.jsonl, distinguished by "type": train | validation | average. Values that
/// depend on the clock are under "timing"; values that are not finite are null. `metric`: bleu |
/// loss, which decides what is best.
[[nodiscard]] nlohmann::json history_line(const IntervalReport& report);
[[nodiscard]] nlohmann::json history_line(const ValidationReport& report, ValidationMetric metric);

}  // namespace attend::train
