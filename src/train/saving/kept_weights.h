#pragma once
#include <string>

#include "model/seq2seq.h"
#include "train/observer.h"
#include "train/options.h"
#include "train/run_state.h"
#include "train/saving/run_files.h"
#include "train/saving/save_policy.h"

namespace attend::train {

/// Keeps the weights that validations measured: the best of them (files.best) and snapshots. Files
/// that cannot be written are handled by `policy`.
class KeptWeights {
 public:
  /// All parts are borrowed. When weights are to be kept, `model` must hold those that were
  /// measured.
  struct Parts {
    const model::Seq2Seq& model;
    const TrainingOptions& options;
    const RunFiles& files;
    const SavePolicy& policy;
    RunState& state;
  };

  explicit KeptWeights(const Parts& parts) : parts_(parts) {}

  /// Adds a validation on `dev_text` to state.best. Returns true if it is the best and files.best
  /// has its weights; if that cannot be written, the validation does not count.
  bool keep_best(const ValidationReport& report, const std::string& dev_text);

  /// Replaces files.best by the average of snapshots if that scored better. Returns true if so.
  bool keep_average(const ValidationReport& report);

  /// Writes a snapshot, and removes those that the options no longer select.
  void keep_snapshot(const ValidationReport& report);

  /// Writes files.best in a run without a validation set. Returns true if it could be written.
  bool keep_unmeasured(const RunPoint& point);

 private:
  [[nodiscard]] Merit merit(const ValidationReport& report) const;
  bool write_best(const ValidationReport& report);

  Parts parts_;
};

}  // namespace attend::train
