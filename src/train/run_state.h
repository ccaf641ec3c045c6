#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "train/batch_stream.h"

namespace attend::train {

/// The result of a validation, for comparison with others.
struct Merit {
  double score = 0.0;  // larger is better
  double loss = 0.0;   // decides between equal scores; smaller is better

  [[nodiscard]] bool is_better_than(const Merit& other) const;
};

/// The best validation so far, and the number of validations since. Drives the plateau schedule and
/// early stopping.
struct BestSoFar {
  bool any = false;  // false: no validation yet
  Merit merit;
  int64_t update = 0;     // update of that validation
  int64_t since = 0;      // validations since then
  int64_t since_cut = 0;  // the same, reset after each cut of the learning rate
  int64_t cuts = 0;  // cuts of the learning rate, when since_cut reached the plateau's patience

  /// Adds a validation; returns true if it is the best so far (of equal scores and losses, the
  /// first).
  bool add(const Merit& validation, int64_t at_update, int64_t plateau_patience);
};

/// Sums since the last log line.
struct Interval {
  int64_t updates = 0;  // without skipped updates
  int64_t skipped = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  double nll = 0.0;         // nats
  double alignment = 0.0;   // guided attention
  double divergence = 0.0;  // R-Drop
  double risk = 0.0;        // minimum-risk training, over `sentences`
  int64_t sentences = 0;
  double gradient_norm = 0.0;
  double seconds = 0.0;
};

/// All state of a run besides the tensors. Runs with equal states continue equally.
struct RunState {
  int64_t update = 0;   // updates so far, skipped updates included
  int64_t skipped = 0;  // skipped updates
  int64_t skipped_in_a_row = 0;
  DataPosition position;
  int64_t validated = -1;     // update of the last validation; -1: none, or its best weights could
                              // not be written
  int64_t averaged = -1;      // update after which the snapshots were averaged
  int64_t target_tokens = 0;  // target tokens of all applied updates
  double seconds = 0.0;       // in the training loop, including earlier parts of a resumed run
  int64_t history_lines = 0;  // lines of train.jsonl
  uint64_t history_checksum = 0;  // CRC-32 of these lines; 0: unknown
  BestSoFar best;
  std::string judged_by;   // the validation set of `best`, as in TrainerParts::dev_text
  std::string train_text;  // as in TrainerParts; empty: unknown
  std::string tokenizers;  // likewise
  Interval interval;

  /// True if no count is negative.
  [[nodiscard]] bool is_valid() const;
  /// Throws DataError if `best` comes from another validation set than `dev_text` and both are
  /// known: scores on two texts cannot be compared.
  void check_judged_by(const std::string& dev_text) const;
  /// Throws DataError if the run was trained with other tokenizers than `now` and both are known.
  void check_tokenizers(const std::string& now) const;
  /// Makes the weights of the next validation the best.
  void forget_best();
};

void to_json(nlohmann::json& json, const RunState& state);
/// Throws nlohmann::json::exception if something is missing.
void from_json(const nlohmann::json& json, RunState& state);

}  // namespace attend::train
