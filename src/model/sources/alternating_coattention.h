#pragma once
#include "model/sources/coarse_coattention.h"
#include "model/sources/guided_pooling.h"

namespace attend::model {

/// One source after the other (Lu et al. 2016, Eq. 6): s^ = A(q; 0), v^ = A(v; s^), q^ = A(q; v^),
/// A as in guided_pooling.h with parameters of its own each time. Three layers: every position
/// looks at those that the step sums up, of the first source, the second and the first.
class AlternatingCoattention final : public CoarseCoattention {
 public:
  AlternatingCoattention(const ModelOptions& options, int64_t size);

  [[nodiscard]] SummedUp sum_up(const EncoderOutput& first,
                                const EncoderOutput& second) const override;
  [[nodiscard]] std::size_t layers() const override { return 3; }

 private:
  std::shared_ptr<GuidedPooling> begin_;   // A(q; 0)
  std::shared_ptr<GuidedPooling> second_;  // A(v; s^)
  std::shared_ptr<GuidedPooling> first_;   // A(q; v^)
};

}  // namespace attend::model
