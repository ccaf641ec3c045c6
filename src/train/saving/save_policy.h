#pragma once
#include <functional>
#include <string>

#include "train/observer.h"

namespace attend::train {

/// Handles files that cannot be written, by training.on_save_error.
class SavePolicy {
 public:
  /// `on_error`: continue | stop. `observer` is borrowed.
  SavePolicy(OnSaveError on_error, TrainObserver& observer)
      : continues_(on_error == OnSaveError::proceed), observer_(observer) {}

  /// Calls `write` and returns true if it succeeds. A UserError of exit code 3 (DataError and the
  /// like) is reported to the observer; with `stop` it is thrown, like any other exception.
  bool attempt(const RunPoint& point, const std::function<void()>& write) const;

  /// Behaves like `stop` from now on.
  void stop_on_errors() { continues_ = false; }

 private:
  bool continues_;
  TrainObserver& observer_;
};

}  // namespace attend::train
