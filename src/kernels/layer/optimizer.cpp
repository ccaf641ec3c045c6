#include "kernels/layer/optimizer.h"

#include <cmath>

#include "kernels/cpu/clones.h"
#include "kernels/cpu/compiler.h"
#include "kernels/cpu/vector_math.h"

namespace attend::kernels {
namespace {

constexpr int64_t kGrain = int64_t{1} << 16;  // parameters per parallel task

template <class T>
ATTEND_ALWAYS_INLINE void adam_range(const AdamStep<T>& step, int64_t begin, int64_t end) {
  const T scale = static_cast<T>(step.scale), shrink = static_cast<T>(step.shrink);
  const T decay = static_cast<T>(step.decay), epsilon = static_cast<T>(step.epsilon);
  const T rest1 = static_cast<T>(1.0 - step.beta1), rest2 = static_cast<T>(1.0 - step.beta2);
  const T beta2 = static_cast<T>(step.beta2), step_size = static_cast<T>(step.step_size);
  ATTEND_INDEPENDENT
  for (int64_t i = begin; i < end; ++i) {
    const T value = step.values[i] * shrink;
    const T gradient = step.gradients[i] * scale + decay * step.values[i];
    const T mean = step.mean[i] + rest1 * (gradient - step.mean[i]);
    const T square = beta2 * step.square[i] + rest2 * gradient * gradient;
    step.mean[i] = mean;
    step.square[i] = square;
    step.values[i] = value - step_size * mean / (std::sqrt(square) + epsilon);
    step.gradients[i] = T(0);
  }
}

template <class T>
ATTEND_ALWAYS_INLINE void momentum_range(const MomentumStep<T>& step, int64_t begin, int64_t end) {
  const T scale = static_cast<T>(step.scale), decay = static_cast<T>(step.decay);
  const T momentum = static_cast<T>(step.momentum), rate = static_cast<T>(step.rate);
  ATTEND_INDEPENDENT
  for (int64_t i = begin; i < end; ++i) {
    T change = step.gradients[i] * scale + decay * step.values[i];
    if (step.velocity != nullptr) {
      change += momentum * step.velocity[i];
      step.velocity[i] = change;
    }
    step.values[i] -= rate * change;
    step.gradients[i] = T(0);
  }
}

}  // namespace

template <class T>
void adam_step(const AdamStep<T>& step) {
  parallel_clones<adam_range<T>>(step, step.count, kGrain);
}
template <class T>
void momentum_step(const MomentumStep<T>& step) {
  parallel_clones<momentum_range<T>>(step, step.count, kGrain);
}

template void adam_step(const AdamStep<float>&);
template void adam_step(const AdamStep<double>&);
template void momentum_step(const MomentumStep<float>&);
template void momentum_step(const MomentumStep<double>&);

}  // namespace attend::kernels
