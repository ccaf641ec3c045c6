#pragma once

namespace attend::kernels {

/// Applies ATTEND_MAX_CPU also to LibTorch, oneDNN, OpenBLAS and MKL, by setting the environment
/// variable of each library, if it is below what the CPU supports. OpenBLAS reads its variable
/// before main(), so the program restarts itself once with the same arguments. Call at the start of
/// main().
void keep_libraries_to_allowed(char* const* arguments);

}  // namespace attend::kernels
