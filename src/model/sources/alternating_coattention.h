#pragma once
#include "model/sources/coarse_coattention.h"
#include "model/sources/guided_pooling.h"

namespace attend::model {

/// Pools one source after another (Lu et al. 2016, Eq. 6): s^ = A(q; 0), v^ = A(v; s^), q^ = A(q;
/// v^), where each A (see guided_pooling.h) has its own parameters. There are three layers of
/// weights, one per step. In each, every position attends to the source that the step pools: the
/// first, the second, and the first again.
class AlternatingCoattention final : public CoarseCoattention {
 public:
  AlternatingCoattention(const ModelOptions& options, int64_t size);

  [[nodiscard]] Pooled pool(const EncoderOutput& first, const EncoderOutput& second) const override;
  [[nodiscard]] std::size_t layers() const override { return 3; }

 private:
  std::shared_ptr<GuidedPooling> begin_;   // A(q; 0)
  std::shared_ptr<GuidedPooling> second_;  // A(v; s^)
  std::shared_ptr<GuidedPooling> first_;   // A(q; v^)
};

}  // namespace attend::model
