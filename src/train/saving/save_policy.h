#pragma once
#include <functional>
#include <string>

#include "train/observer.h"

namespace attend::train {

/// What happens where files cannot be written: training.on_save_error.
class SavePolicy {
 public:
  /// `on_error`: continue | stop. `observer` is borrowed.
  SavePolicy(OnSaveError on_error, TrainObserver& observer)
      : goes_on_(on_error == OnSaveError::proceed), observer_(observer) {}

  /// Calls `write`. Whether all was written: a UserError of exit code 3 (DataError and its like)
  /// goes to the observer, or, with stop, on to the caller, as everything else does.
  bool attempt(const RunPoint& point, const std::function<void()>& write) const;

  /// From now on all is as with stop.
  void stop_on_errors() { goes_on_ = false; }

 private:
  bool goes_on_;
  TrainObserver& observer_;
};

}  // namespace attend::train
