#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "train/batch_stream.h"

namespace attend::train {

/// The best validation so far, and how long ago it was. Drives the plateau schedule and early
/// stopping.
struct BestSoFar {
  bool any = false;       // whether there was a validation
  double score = 0.0;     // larger is better
  int64_t update = 0;     // when
  int64_t since = 0;      // validations after it
  int64_t since_cut = 0;  // the same, but counted anew after each cut of the learning rate
  int64_t cuts = 0;       // times since_cut reached the plateau's patience

  /// Takes in a validation; true if it is the best so far (the first of equals is).
  bool add(double new_score, int64_t at_update, int64_t plateau_patience);
};

/// Sums since the last line of the log.
struct Interval {
  int64_t updates = 0;  // without those left out
  int64_t skipped = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  double nll = 0.0;         // nats
  double alignment = 0.0;   // loss of guided attention
  double divergence = 0.0;  // of R-Drop
  double risk = 0.0;        // of minimum-risk training, over `sentences`
  int64_t sentences = 0;
  double gradient_norm = 0.0;
  double seconds = 0.0;
};

/// All counters of a run, besides the tensors. Equal states go on equally.
struct RunState {
  int64_t update = 0;   // updates so far, those left out included
  int64_t skipped = 0;  // updates left out
  int64_t skipped_in_a_row = 0;
  DataPosition position;
  int64_t validated = -1;     // update of the last validation, if its best weights are in the file
  int64_t averaged = -1;      // update at which the snapshots were averaged
  int64_t target_tokens = 0;  // trained on so far
  double seconds = 0.0;       // in the training loop, over all resumed parts
  int64_t history_lines = 0;  // of train.jsonl
  BestSoFar best;
  std::string judged_by;  // the development text that `best` is of, as TrainerParts tells it
  Interval interval;

  /// Whether no count is negative.
  [[nodiscard]] bool makes_sense() const;
  /// Throws DataError if `best` is of another text than `dev_text`, as far as both are told: scores
  /// on two texts cannot be compared.
  void check_judged_by(const std::string& dev_text) const;
};

void to_json(nlohmann::json& json, const RunState& state);
/// Throws nlohmann::json::exception if something is missing.
void from_json(const nlohmann::json& json, RunState& state);

}  // namespace attend::train
