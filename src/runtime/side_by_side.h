#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace attend::runtime {

/// Number of threads that a matrix product called by this thread would use.
[[nodiscard]] int64_t threads();

/// Sets the number of threads for products called from this thread, which must not be a pool
/// thread.
void use_threads(int64_t count);

/// Calls task(0) to task(count - 1), started in this order. If there are at least threads() tasks,
/// they run in parallel, each on one thread of the pool shared with LibTorch, BLAS and the kernels,
/// which then compute on that thread only. Fewer tasks run one after another, each with all
/// threads. If a task throws, no further task starts; once the running tasks have ended, the error
/// of the first failed task in order is rethrown.
void run_side_by_side(std::size_t count, const std::function<void(std::size_t)>& task);

/// run_side_by_side() with at most `count` threads: every task computes on one thread, so that its
/// result does not depend on the number of threads. Requires: not called by a pool thread.
void run_on_single_threads(std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace attend::runtime
