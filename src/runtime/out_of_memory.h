#pragma once
#include <exception>

namespace attend::runtime {

/// True if the error says that LibTorch or the C++ library got no memory, on the CPU or a GPU.
[[nodiscard]] bool is_out_of_memory(const std::exception& error);

}  // namespace attend::runtime
