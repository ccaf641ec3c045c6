#pragma once

namespace attend::runtime {

/// Allows or forbids TF32 in the float products of LibTorch and cuDNN on GPUs, in the whole
/// process. TF32 reads 10 bits of each operand's fraction. cuDNN allows it by default;
/// set_up_runtime() forbids it.
void allow_tf32(bool allowed);

}  // namespace attend::runtime
