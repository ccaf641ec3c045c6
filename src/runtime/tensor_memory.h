#pragma once

namespace attend::runtime {

/// From now on LibTorch's larger tensors on the CPU lie in a MemoryRegion of their own, beside the
/// large blocks of the kernels, and its small ones are small blocks (small_blocks.h). In a heap
/// that the large ones share with everything else, batches of changing lengths leave gaps that add
/// a quarter to what a training run takes. No effect where the system refuses the addresses, nor
/// with LibTorch 2, whose allocators have another interface. Called once, before the first tensor.
void use_tensor_memory();

}  // namespace attend::runtime
