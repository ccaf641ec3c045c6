#include "kernels/dropout.h"

#include <algorithm>

#include "kernels/clones.h"
#include "kernels/compiler.h"
#include "kernels/dropout_mask.h"

namespace attend::kernels {
namespace {

constexpr int64_t kDropoutGrain = 256;  // blocks a thread takes at a time

template <class T>
ATTEND_ALWAYS_INLINE void drop_blocks(const Dropout<T>& work, int64_t begin, int64_t end) {
  const MaskRule rule{work.seed, work.probability};
  for (int64_t block = begin; block < end; ++block) {
    const int64_t first = block * kMaskBlock;
    mask_block(rule, block, std::min(kMaskBlock, work.count - first),
               work.x == nullptr ? nullptr : work.x + first, work.y + first);
  }
}

}  // namespace

template <class T>
void dropout(const Dropout<T>& work) {
  const int64_t blocks = (work.count + kMaskBlock - 1) / kMaskBlock;
  parallel_clones<drop_blocks<T>>(work, blocks, kDropoutGrain);
}

template void dropout(const Dropout<float>&);
template void dropout(const Dropout<double>&);

}  // namespace attend::kernels
