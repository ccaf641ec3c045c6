#pragma once

namespace attend::kernels {

/// Makes the libraries that compute beside our kernels (LibTorch, its oneDNN, OpenBLAS, MKL) keep
/// to ATTEND_MAX_CPU too, where that is less than what the CPU has: by the environment variables
/// that each of them knows. OpenBLAS reads its own before main(), so the program is then started
/// anew, once, with the same arguments. Called at the beginning of main().
void keep_libraries_to_allowed(char* const* arguments);

}  // namespace attend::kernels
