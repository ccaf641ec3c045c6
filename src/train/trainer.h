#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "distributed/communicator.h"
#include "model/seq2seq.h"
#include "train/batch_stream.h"
#include "train/history.h"
#include "train/observer.h"
#include "train/options.h"
#include "train/run_state.h"
#include "train/saving/checkpoint.h"
#include "train/saving/save_policy.h"
#include "train/together/joint_run.h"
#include "train/update/flat_parameters.h"
#include "train/update/updater.h"
#include "train/validator.h"

namespace attend::train {

/// The files of a run. Snapshots lie beside them, in `folder`.
struct RunFiles {
  std::filesystem::path folder;
  std::filesystem::path best;     ///< weights of the best validation
  std::filesystem::path last;     ///< weights as they would be validated now
  std::filesystem::path state;    ///< what resuming needs
  std::filesystem::path history;  ///< train.jsonl
};

/// What a run is made of. All references are borrowed.
struct TrainerParts {
  model::Seq2Seq& model;
  std::shared_ptr<const data::ParallelCorpus> corpus;
  Validator* validator = nullptr;  ///< null: no development text, so that the last weights are best
  TrainObserver& observer;
  RunFiles files;
  std::function<double()> clock;            ///< seconds from any moment, never going back
  const text::Tokenizer* target = nullptr;  ///< of the targets: for minimum-risk training
  /// Of a run of several processes; null: this one is alone. The first process alone has observers
  /// that show something and writes files; all share the validation.
  distributed::Communicator* peers = nullptr;
  CutPairs cut = {};          ///< subword sampling, batch by batch; empty: none
  std::string dev_text = {};  ///< tells the validator's text from others; empty: nothing does
};

/// Where a run goes on, and what was not as it was left.
struct ResumePoint {
  RunPoint point;
  std::string damage;     ///< why the newest state could not be used; empty: it is the newest
  bool new_text = false;  ///< the training text is another, so that its epoch begins anew
};

/// How a run ended.
struct RunSummary {
  std::string reason;  ///< "max_epochs 30 reached"
  RunPoint point;
  BestSoFar best;
};

/// The training loop: next batch, update, maybe validate, maybe save. It does not print. Stopping
/// after any update (or in the middle of a validation) and going on from last.state gives the same
/// weights and the same history as never having stopped, bit for bit, apart from "timing"; not so
/// where the learning rate follows the clock (one_cycle with max_minutes). The first checkpoint is
/// written after the first update.
///
/// Of several processes each has a Trainer over the same text. The first one alone calls resume(),
/// and all go on from its state (train/together/joint_run.h).
class Trainer {
 public:
  Trainer(TrainerParts parts, const TrainingOptions& options, uint64_t seed);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Goes on from files.state, or from its previous generation where that is damaged, dropping
  /// later lines of the history and later snapshots. Throws ModelFileError, and DataError where
  /// these cannot be removed, the text of the epoch cannot be had, or the best score so far is of
  /// another development text.
  ResumePoint resume();

  /// Trains until a limit is reached or patience runs out. At the end, if training.average says so,
  /// the average of the snapshots becomes files.best where it is better on the development text.
  /// Throws Stopped after a signal, the state saved, and NumericError beyond
  /// training.skip_non_finite, with the state before that update saved (unless the weights
  /// themselves are no longer finite), and at the end of a run whose weights are not finite. Files
  /// that cannot be written on the way are dealt with as training.on_save_error says; throws
  /// DataError where it says stop, and where the first or the last save of the run fails. Weights
  /// that are not finite never replace a checkpoint.
  RunSummary run();

  /// Parameters that are trained.
  [[nodiscard]] int64_t parameters() const { return parameters_.count(); }

 private:
  void share_start();
  std::string train();
  void update();
  void count(const UpdateResult& result);
  void skip(const UpdateResult& result, const std::vector<data::Batch>& batches);
  void go_back_to(const RunState& before);
  void log_interval();
  void validate();
  void validate_here();
  void help_to_validate();
  [[nodiscard]] ValidationReport measure(std::string_view milestone);
  bool keep_best(const ValidationReport& report, double score);
  void keep_snapshot(const ValidationReport& report, double score);
  void average();
  void measure_average(std::size_t snapshots);
  [[nodiscard]] std::vector<std::filesystem::path> snapshots_to_average();
  void finish();
  void save_after_update();
  void save();
  void save_strictly();
  std::string save_before_giving_up();
  [[nodiscard]] bool has_finite_weights() const;
  void record(const nlohmann::json& line);
  double tick();

  /// What the first process does for all; then all have its state.
  void lead(const std::function<void()>& task);
  /// The state from which all processes decide alike.
  [[nodiscard]] RunState decided() const;
  [[nodiscard]] bool has_checkpoint() const { return saved_update_ >= 0; }
  [[nodiscard]] std::string last_checkpoint() const;

  [[nodiscard]] std::unique_ptr<BorrowedValues> shown_weights() const;
  [[nodiscard]] StateTensors state_tensors() const;
  [[nodiscard]] RunPoint point() const;

  TrainerParts parts_;
  TrainingOptions options_;
  JointRun joint_;
  SavePolicy saving_;
  uint64_t seed_;
  FlatParameters parameters_;
  Updater updater_;
  torch::Tensor moving_average_;  // [P]; undefined without training.ema
  BatchStream stream_;
  std::optional<History> history_;
  RunState state_;
  double learning_rate_ = 0.0;  // of the last update
  double last_tick_ = 0.0;      // clock
  double last_save_ = 0.0;      // state_.seconds
  int64_t saved_update_ = -1;   // of the newest checkpoint; -1: there is none
};

}  // namespace attend::train
