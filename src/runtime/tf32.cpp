#include "runtime/tf32.h"

#include <ATen/Context.h>

namespace attend::runtime {

void allow_tf32(bool allowed) {
  at::globalContext().setAllowTF32CuBLAS(allowed);
  at::globalContext().setAllowTF32CuDNN(allowed);
}

}  // namespace attend::runtime
