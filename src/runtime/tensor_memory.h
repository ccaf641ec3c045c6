#pragma once

namespace attend::runtime {

/// Makes LibTorch allocate large CPU tensors, and the kernels their large blocks, in a
/// MemoryRegion, and small tensors as small blocks (small_blocks.h). In a common heap, batches of
/// changing lengths leave gaps that add a quarter to the memory of a training run. Has no effect if
/// the system refuses the addresses, or with LibTorch 2, whose allocators have another interface.
/// Call it once, before the first tensor.
void use_tensor_memory();

}  // namespace attend::runtime
