#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "server/nearest/sentence_index.h"
#include "server/search/served_model.h"

namespace attend::server {

/// Indices of the models' training texts. Each is built on first use by a thread of its own with
/// low priority. Thread-safe.
class TrainingNeighbors {
 public:
  /// `allowed`: true if requests may read training text.
  explicit TrainingNeighbors(bool allowed);
  /// Cancels indices that are being built.
  ~TrainingNeighbors();
  TrainingNeighbors(const TrainingNeighbors&) = delete;
  TrainingNeighbors& operator=(const TrainingNeighbors&) = delete;

  /// True if the model has readable training text and building its index has not failed.
  [[nodiscard]] bool has(const ServedModel& model) const;

  /// Progress of an index, and the index when it is complete.
  struct State {
    int64_t done = 0;
    int64_t total = 0;  ///< 0: unknown yet
    std::shared_ptr<const SentenceIndex> index;
  };
  /// Starts building the index at the first call, and again one minute after a failure. Keeps a
  /// reference to the model. Throws ApiError 403 if training text may not be read, 404 if the model
  /// has none, 409 if it no longer matches the model's config, 500 for other failures.
  [[nodiscard]] State index(const ServedModel& model);

 private:
  class Building;

  bool allowed_;
  mutable std::mutex mutex_;
  std::map<const ServedModel*, std::unique_ptr<Building>> buildings_;
};

}  // namespace attend::server
