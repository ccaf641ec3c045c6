#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "server/nearest/sentence_index.h"
#include "server/search/served_model.h"

namespace attend::server {

/// The indices of models' training texts, each built when it is first asked for, by a thread of its
/// own that gives way to all others. For any thread.
class TrainingNeighbors {
 public:
  /// `allowed`: whether requests may read training text.
  explicit TrainingNeighbors(bool allowed);
  /// Ends what is being built.
  ~TrainingNeighbors();
  TrainingNeighbors(const TrainingNeighbors&) = delete;
  TrainingNeighbors& operator=(const TrainingNeighbors&) = delete;

  /// Whether index() may be asked for, and has not failed.
  [[nodiscard]] bool has(const ServedModel& model) const;

  /// How far an index is, and the index when it is whole.
  struct State {
    int64_t done = 0;
    int64_t total = 0;  ///< 0: not known yet
    std::shared_ptr<const SentenceIndex> index;
  };
  /// Begins to build it at the first call, and again a minute after one that failed. Borrows the
  /// model. Throws ApiError: 403 where training text may not be read, 404 for a model without one,
  /// 409 where it is no longer what the model's config says, 500 where building it failed
  /// otherwise.
  [[nodiscard]] State index(const ServedModel& model);

 private:
  class Building;

  bool allowed_;
  mutable std::mutex mutex_;
  std::map<const ServedModel*, std::unique_ptr<Building>> buildings_;
};

}  // namespace attend::server
