#include "kernels/loop/loop.h"

#include "kernels/cpu/parallel.h"

// A loop is a list of operations with memory allocated beforehand. Unlike automatic
// differentiation, it records and allocates nothing during a step. The values of all steps are
// kept, step after step, for the backward pass: gates overwrite their pre-activations, and y of
// tanh overwrites x (its derivative is 1 - y^2). The backward pass runs the operations in reverse
// order, and each adds to the gradients of its inputs, so several operations can read one input.
// start() and finish() do the work that is faster for all steps at once: one large product for a
// weight's gradient instead of a small one per step.

namespace attend::kernels {
namespace {

void forward_through(const Operations& body, const Steps& steps) {
  for (const std::unique_ptr<Operation>& operation : body) operation->start();
  for (int64_t step = 0; step < steps.count(); ++step) {
    for (const std::unique_ptr<Operation>& operation : body) operation->forward(step);
  }
}

void backward_through(const Operations& body, const Steps& steps) {
  for (int64_t step = steps.count() - 1; step >= 0; --step) {
    for (auto operation = body.rbegin(); operation != body.rend(); ++operation) {
      (*operation)->backward(step);
    }
  }
  for (const std::unique_ptr<Operation>& operation : body) operation->finish();
}

/// With more threads than loops, running loops in parallel would leave threads idle; instead all
/// threads work inside each step.
template <class Run>
void run_all(const std::vector<Operations>& loops, const Run& run) {
  if (omp_get_max_threads() > static_cast<int>(loops.size())) {
    for (const Operations& body : loops) run(body);
    return;
  }
  parallel_ranges(static_cast<int64_t>(loops.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) run(loops[static_cast<std::size_t>(i)]);
  });
}

}  // namespace

void run_forward(const std::vector<Operations>& loops, const Steps& steps) {
  run_all(loops, [&](const Operations& body) { forward_through(body, steps); });
}

void run_backward(const std::vector<Operations>& loops, const Steps& steps) {
  run_all(loops, [&](const Operations& body) { backward_through(body, steps); });
}

}  // namespace attend::kernels
