#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/validator.h"

namespace attend::train {

/// Where a run stands.
struct RunPoint {
  int64_t update = 0;
  double epochs = 0.0;   // passes over the data, with fractions
  double seconds = 0.0;  // in the training loop, summed over resumed parts
  double done = 0.0;     // share of the run, 0 .. 1, by the limit that will be met first; patience
                         // is not foreseen
};

/// After every update that was made.
struct UpdateReport {
  RunPoint point;
  double loss = 0.0;  // nats per target token of this update alone
  int64_t target_tokens = 0;
};

/// After every training.log_every updates; means (NaN where all were left out) and sums over them.
struct IntervalReport {
  RunPoint point;
  double loss = 0.0;           // nats per target token, without label smoothing
  double learning_rate = 0.0;  // of the last update
  double gradient_norm = 0.0;  // before clipping
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  int64_t skipped = 0;   // updates left out
  double seconds = 0.0;  // spent on these updates, validation not included
  std::optional<double> alignment_loss =
      std::nullopt;  // of guided attention, per target token, unweighted
  std::optional<double> divergence = std::nullopt;  // of R-Drop's passes, per target token, nats
  std::optional<double> risk =
      std::nullopt;  // expected cost of minimum-risk training, per sentence
};

/// After every validation.
struct ValidationReport {
  RunPoint point;
  ValidationResult result;
  int64_t averaged_snapshots = 0;  // 0: the weights of training (or their moving average)
  bool best = false;               // whether it is the best so far
  double seconds = 0.0;            // that it took
};

/// After an update that was left out because something was not finite.
struct SkipReport {
  RunPoint point;
  double loss = 0.0;
  double gradient_norm = 0.0;
  int64_t in_a_row = 0;
  std::string batch = {};  // its lines and lengths, in words
};

/// After files could not be written although the run goes on, or were left as they are because the
/// weights are not finite.
struct SaveErrorReport {
  RunPoint point;
  std::string message;  // what was not saved, and why
};

/// Hears what happens in a run. Called from the training loop, between updates, when the files are
/// up to date.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_update(const UpdateReport& /*report*/) {}
  virtual void on_interval(const IntervalReport& /*report*/) {}
  virtual void on_validation(const ValidationReport& /*report*/) {}
  virtual void on_skip(const SkipReport& /*report*/) {}
  virtual void on_save_error(const SaveErrorReport& /*report*/) {}
};

/// Tells several observers, in their order.
class ObserverList final : public TrainObserver {
 public:
  /// `observers` are borrowed.
  explicit ObserverList(std::vector<TrainObserver*> observers) : observers_(std::move(observers)) {}

  void on_update(const UpdateReport& report) override;
  void on_interval(const IntervalReport& report) override;
  void on_validation(const ValidationReport& report) override;
  void on_skip(const SkipReport& report) override;
  void on_save_error(const SaveErrorReport& report) override;

 private:
  std::vector<TrainObserver*> observers_;
};

/// The lines of train.jsonl, told apart by "type": train | validation | average. What depends on
/// the clock is under "timing"; what is no finite number is null. `metric`: bleu | loss, what the
/// best is told by.
[[nodiscard]] nlohmann::json history_line(const IntervalReport& report);
[[nodiscard]] nlohmann::json history_line(const ValidationReport& report, ValidationMetric metric);

}  // namespace attend::train
