#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "distributed/communicator.h"
#include "model/seq2seq.h"
#include "train/batch_stream.h"
#include "train/observer.h"
#include "train/options.h"
#include "train/run_state.h"
#include "train/saving/kept_weights.h"
#include "train/saving/run_files.h"
#include "train/saving/run_saver.h"
#include "train/saving/save_policy.h"
#include "train/together/joint_run.h"
#include "train/update/trained_weights.h"
#include "train/update/updater.h"
#include "train/validator.h"

namespace attend::train {

/// The parts of a run. All references are borrowed.
struct TrainerParts {
  model::Seq2Seq& model;
  std::shared_ptr<const data::ParallelCorpus> corpus;
  Validator* validator = nullptr;  ///< null: no validation set, so that the last weights are best
  TrainObserver& observer;
  RunFiles files;
  std::function<double()> clock;            ///< seconds from an arbitrary start; never decreases
  const text::Tokenizer* target = nullptr;  ///< target tokenizer, for minimum-risk training
  /// The processes of the run; null: only this one. Only the leader (the first process) has
  /// observers that show something and writes files; all processes share the validation.
  distributed::Communicator* peers = nullptr;
  CutPairs cut = {};            ///< subword sampling, batch by batch; empty: none
  std::string dev_text = {};    ///< identifies the validation set; empty: unknown
  std::string train_text = {};  ///< identifies the training text as pieces; empty: unknown
  std::string tokenizers = {};  ///< identifies the tokenizers; empty: unknown
};

/// The point where a run resumes, and what had changed.
struct ResumePoint {
  RunPoint point;
  std::string damage;     ///< why the newest state could not be used; empty: it was used
  bool new_text = false;  ///< the training text has changed, so the epoch starts again
  /// Why the best weights are lost, so that those of the next validation become the best; empty:
  /// they are not lost.
  std::string lost_best = {};
  std::string lost_history = {};  ///< what is lost of files.history; empty: nothing
};

/// The end of a run.
struct RunSummary {
  std::string reason;  ///< "max_epochs 30 reached"
  RunPoint point;
  BestSoFar best;
};

/// The training loop: next batch, update, validation and saving when due. It does not print.
/// Stopping after any update (or during a validation) and resuming from last.state gives the same
/// weights and the same history as an uninterrupted run, bit for bit, apart from "timing"; except
/// if the learning rate follows the clock (one_cycle with max_minutes). The first checkpoint is
/// written after the first update. With training.init_from it is written before, and the weights of
/// the start are validated: they are the best until a validation is better.
///
/// With several processes each has a Trainer over the same text. Only the leader calls resume();
/// all continue from its state (train/together/joint_run.h).
class Trainer {
 public:
  Trainer(TrainerParts parts, const TrainingOptions& options, uint64_t seed);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Resumes from files.state, or from its previous generation if that is damaged, and drops later
  /// lines of the history and later snapshots. Throws ModelFileError, also if files.best holds
  /// other weights than the run's best; DataError if later snapshots cannot be removed, a text
  /// cannot be read, files.history holds other lines than the run's, the best score so far comes
  /// from another validation set, or the tokenizers have changed.
  ResumePoint resume();

  /// Trains until a limit is reached or patience runs out. At the end, with training.average, the
  /// average of the snapshots becomes files.best if it scores better on the validation set. Throws
  /// Stopped after a signal, with the state saved. Throws NumericError after more skipped updates
  /// in a row than training.skip_non_finite allows, with the state before that update saved (unless
  /// the weights themselves are no longer finite), and at the end of a run whose weights are not
  /// finite. Throws MemoryError with the state before the update saved. Files that cannot be
  /// written are handled by training.on_save_error; throws DataError if it is `stop`, and if the
  /// first or the last save of the run fails. Weights that are not finite never replace a
  /// checkpoint.
  RunSummary run();

  /// Number of trained parameters.
  [[nodiscard]] int64_t parameters() const { return weights_.parameters().count(); }

 private:
  [[nodiscard]] bool seek_text();
  void share_start();
  [[nodiscard]] bool must_validate_start() const;
  void validate_start();
  std::string train();
  void update();
  void apply(const UpdateRequest& request);
  void count(const UpdateResult& result);
  void skip(const UpdateResult& result, std::span<const data::Batch> batches);
  template <class Error>
  [[noreturn]] void give_up(const Error& error);
  void roll_back_to(const RunState& before);
  void log_interval();
  void validate();
  void lead_validation();
  void follow_validation();
  void validate_share();
  void save_without_validation();
  void validate_and_save();
  [[nodiscard]] ValidationReport measure(std::string_view milestone);
  void average();
  void measure_average(std::size_t snapshots);
  [[nodiscard]] std::vector<std::filesystem::path> snapshots_to_average();
  void finish();
  void save_after_update();
  void record(const nlohmann::json& line);
  double tick();

  /// Runs `task` in the leader, then gives all processes the leader's state.
  void lead(const std::function<void()>& task);
  /// Gives all processes the leader's state.
  void share_state();
  /// The state that all processes base decisions on: the leader's.
  [[nodiscard]] RunState decided() const;
  [[nodiscard]] RunPoint point() const;

  TrainerParts parts_;
  TrainingOptions options_;
  JointRun joint_;
  SavePolicy save_policy_;
  uint64_t seed_;
  TrainedWeights weights_;
  Updater updater_;
  BatchStream stream_;
  RunState state_;
  KeptWeights kept_;
  RunSaver saver_;
  double learning_rate_ = 0.0;    // learning rate of the last update
  double last_tick_ = 0.0;        // clock
  int64_t parts_of_batches_ = 1;  // in which the last update was computed
  double last_save_ = 0.0;        // state_.seconds
};

}  // namespace attend::train
