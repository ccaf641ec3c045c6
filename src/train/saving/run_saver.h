#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "model/seq2seq.h"
#include "train/history.h"
#include "train/observer.h"
#include "train/run_state.h"
#include "train/saving/checkpoint.h"
#include "train/saving/run_files.h"
#include "train/saving/save_policy.h"
#include "train/update/trained_weights.h"
#include "train/update/updater.h"

namespace attend::train {

/// Saves the state of a run (files.state), its current weights (files.last) and its history. Only
/// the leader of a run records and saves. Weights that are not finite never replace a checkpoint.
class RunSaver {
 public:
  /// All parts are borrowed.
  struct Parts {
    const model::Seq2Seq& model;
    const TrainedWeights& weights;
    const Updater& updater;
    const RunFiles& files;
    const SavePolicy& policy;
    TrainObserver& observer;
    RunState& state;
  };

  explicit RunSaver(const Parts& parts) : parts_(parts) {}

  /// Restores the tensors and returns the state: see load_state().
  [[nodiscard]] LoadedState load();
  /// Everything that the state holds besides the counters.
  [[nodiscard]] StateTensors tensors() const;

  /// Opens the history and drops lines that the state does not count. Throws DataError.
  void open_history();
  /// Adds a line to the history; if it cannot be written, see `policy`. Requires: open_history().
  void record(const nlohmann::json& line, const RunPoint& point);

  /// Saves; if a file cannot be written, see `policy`. Requires: open_history().
  void save(const RunPoint& point);
  /// The same, but throws DataError. Reports weights that are not finite; throws NumericError if
  /// there is no checkpoint yet.
  void save_strictly(const RunPoint& point);
  /// The same for a run that ends because of numbers that are not finite. Returns what became of
  /// the state, to be added to the error's message.
  [[nodiscard]] std::string save_before_giving_up(const RunPoint& point);

  /// Update of the newest checkpoint; -1: none. A reference, because followers of a joint run set
  /// it.
  [[nodiscard]] int64_t& saved_update() { return saved_update_; }
  [[nodiscard]] bool has_checkpoint() const { return saved_update_ >= 0; }
  /// Names the newest checkpoint, to be added to an error's message.
  [[nodiscard]] std::string newest_checkpoint() const;

 private:
  void count_history();

  Parts parts_;
  std::optional<History> history_;
  int64_t saved_update_ = -1;
};

}  // namespace attend::train
