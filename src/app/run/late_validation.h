#pragma once
#include <optional>

#include "train/observer.h"
#include "train/options.h"

namespace attend::app {

/// Warns once, when the speed is known, if the next validation is far away: until then there is no
/// score and there are no best weights.
class LateValidationWarning final : public train::TrainObserver {
 public:
  static constexpr double kHours = 8.0;  ///< warn from this distance on

  explicit LateValidationWarning(train::ValidateEvery every) : every_(every) {}

  void on_update(const train::UpdateReport& report) override;

 private:
  [[nodiscard]] double seconds_to_validation(const train::RunPoint& now) const;

  train::ValidateEvery every_;
  std::optional<train::RunPoint> begin_;
  bool judged_ = false;
};

}  // namespace attend::app
