#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace attend::runtime {

/// Threads that a product of matrices called from here would use.
[[nodiscard]] int64_t threads();

/// From now on products called from this thread, which is not of a pool, use so many threads.
void use_threads(int64_t count);

/// Calls task(0) to task(count - 1), begun in this order. Where there are at least as many tasks as
/// threads(), they run side by side, each on one thread of the pool that LibTorch, BLAS and the
/// kernels use too, which all compute on that thread alone; fewer run one after another, each with
/// all threads. If one throws, no further one begins, and when those that run have ended, the error
/// of the first in order is thrown again.
void run_side_by_side(std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace attend::runtime
