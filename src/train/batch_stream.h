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

/// The training pairs of an epoch (from 0): always the same ones, or with other pieces every time
/// where subwords are sampled. The same epoch must always give the same corpus.
using CorpusOfEpoch = std::function<std::shared_ptr<const data::ParallelCorpus>(uint64_t epoch)>;

/// Cuts pairs of the corpus into other pieces for this epoch. Called from several threads; the same
/// arguments must always give the same pieces.
using CutPairs = std::function<data::CutPairs(const data::ParallelCorpus& corpus,
                                              std::span<const int64_t> pairs, uint64_t epoch)>;

/// A place in the endless sequence of batches.
struct DataPosition {
  int64_t epoch = 0;    // complete passes over the data
  int64_t batch = 0;    // batches of the current pool that were used
  int64_t batches = 0;  // batches of the current pool; 0: none was used, or unknown
  int64_t pool = 0;     // pools of the current pass (data::EpochOrder) that were used
};

/// The batches of one epoch after the other. To resume from anywhere it is enough to save the
/// position: the order of an epoch follows from the seed and the epoch's number. If pairs are cut
/// anew, extra threads do that for the next few batches while a batch is used.
class BatchStream {
 public:
  /// `cut` may be empty: the pieces are those of the corpus.
  BatchStream(CorpusOfEpoch corpus, data::BatchOptions options, uint64_t seed, CutPairs cut = {},
              data::OrderBounds bounds = {});

  /// Returns the next `count` batches, or the rest of the epoch. Throws DataError if there are no
  /// training pairs.
  [[nodiscard]] std::vector<data::Batch> next(int64_t count);

  [[nodiscard]] const DataPosition& position() const { return position_; }
  /// Continues from `position`. Returns false, and restarts the pass, if the training pairs have
  /// changed, so that the pool has another number of batches.
  bool seek(const DataPosition& position);
  /// Passes over the data so far, including the fraction of the current one.
  [[nodiscard]] double epochs() const;

 private:
  void load_epoch();
  void load_pool();
  void advance();
  [[nodiscard]] data::Batch take_batch();
  void cut_ahead();

  CorpusOfEpoch corpus_of_;
  data::BatchOptions options_;
  uint64_t seed_;
  CutPairs cut_;
  data::OrderBounds bounds_;
  DataPosition position_;
  std::shared_ptr<const data::ParallelCorpus> corpus_;  // of the current epoch; null: not loaded
  std::optional<data::EpochOrder> order_;               // of the current epoch
  data::EpochPlan plan_;                                // of the current pool
  std::deque<std::future<data::CutPairs>> ahead_;       // the next batches of the pool
};

}  // namespace attend::train
