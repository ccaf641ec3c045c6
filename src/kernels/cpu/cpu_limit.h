#pragma once

namespace attend::kernels {

/// If ATTEND_MAX_CPU is below what the CPU has, applies it to LibTorch, oneDNN, OpenBLAS and MKL as
/// well, by setting the environment variable of each library. OpenBLAS reads its variable before
/// main(), so the program restarts itself once with the same arguments. Call at the start of
/// main().
void keep_libraries_to_allowed(char* const* arguments);

}  // namespace attend::kernels
