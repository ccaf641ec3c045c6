#include "nn/thread_context.h"

namespace attend::nn {

ThreadContext& thread_context() {
  thread_local ThreadContext context;
  return context;
}

}  // namespace attend::nn
