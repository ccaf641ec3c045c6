#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/batch.h"
#include "data/batching.h"
#include "data/epoch_order.h"
#include "data/parallel_corpus.h"

namespace attend::train {

/// Segments pairs of the corpus anew for this epoch (subword sampling). Called from several
/// threads; the same arguments must always give the same pieces.
using CutPairs = std::function<data::CutPairs(const data::ParallelCorpus& corpus,
                                              std::span<const int64_t> pairs, uint64_t epoch)>;

/// A position in the endless sequence of batches.
struct DataPosition {
  int64_t epoch = 0;    // complete passes over the data
  int64_t batch = 0;    // batches of the current pool that were used
  int64_t batches = 0;  // batches of the current pool; 0: none was used, or unknown
  int64_t pool = 0;     // pools of the current pass (data::EpochOrder) that were used
};

/// The batches of all epochs, one epoch after another. To resume, it is enough to save the
/// position: the order of an epoch follows from the seed and the epoch's number. If `cut` segments
/// pairs anew, extra threads run it for the next few batches while a batch is used.
class BatchStream {
 public:
  /// If `cut` is empty, the batches have the pieces that the corpus stores.
  BatchStream(std::shared_ptr<const data::ParallelCorpus> corpus, data::BatchOptions options,
              uint64_t seed, CutPairs cut = {}, data::OrderBounds bounds = {});

  /// Returns the next `count` batches, or the rest of the epoch. Throws DataError if there are no
  /// training pairs.
  [[nodiscard]] std::vector<data::Batch> next(int64_t count);

  [[nodiscard]] const DataPosition& position() const { return position_; }
  /// Continues from `position`. Returns false, and restarts the pass, if the training pairs have
  /// changed so that the pool has a different number of batches.
  bool seek(const DataPosition& position);
  /// Passes over the data so far, including the finished fraction of the current pass.
  [[nodiscard]] double epochs() const;

 private:
  void load_epoch();
  void load_pool();
  void advance();
  [[nodiscard]] data::Batch take_batch();
  void cut_ahead();

  std::shared_ptr<const data::ParallelCorpus> corpus_;
  data::BatchOptions options_;
  uint64_t seed_;
  CutPairs cut_;
  data::OrderBounds bounds_;
  DataPosition position_;
  std::optional<data::EpochOrder> order_;          // of the current epoch; empty: not loaded
  data::EpochPlan plan_;                           // of the current pool
  std::deque<std::future<data::CutPairs>> ahead_;  // the next batches of the pool
};

}  // namespace attend::train
