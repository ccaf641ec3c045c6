#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/batch.h"
#include "data/batching.h"
#include "data/parallel_corpus.h"

namespace attend::train {

/// The training pairs of an epoch (from 0): always the same ones, or with other pieces every time
/// where subwords are sampled. The same epoch must always give the same corpus.
using CorpusOfEpoch = std::function<std::shared_ptr<const data::ParallelCorpus>(uint64_t epoch)>;

/// A place in the endless sequence of batches.
struct DataPosition {
  int64_t epoch = 0;    // passes over the data that are complete
  int64_t batch = 0;    // batches of the current pass that are used up
  int64_t batches = 0;  // that the current pass has; 0: none of it was used, or it is not known
};

/// The batches of one epoch after the other. Nothing but the position needs to be saved to go on
/// from anywhere: the order of an epoch follows from the seed and its number.
class BatchStream {
 public:
  BatchStream(CorpusOfEpoch corpus, data::BatchOptions options, uint64_t seed);

  /// The next `count` batches, or those that are left of the epoch. Throws DataError if there are
  /// no training pairs.
  [[nodiscard]] std::vector<data::Batch> next(int64_t count);

  [[nodiscard]] const DataPosition& position() const { return position_; }
  /// Goes on from there. False if that pass does not have the batches that it had, because the
  /// training pairs are others now: it begins anew.
  bool seek(const DataPosition& position);
  /// Passes over the data so far, with the fraction of the current one.
  [[nodiscard]] double epochs() const;

 private:
  void load_epoch();

  CorpusOfEpoch corpus_of_;
  data::BatchOptions options_;
  uint64_t seed_;
  DataPosition position_;
  std::shared_ptr<const data::ParallelCorpus> corpus_;  // of the current epoch; null: not loaded
  data::EpochPlan plan_;
};

}  // namespace attend::train
