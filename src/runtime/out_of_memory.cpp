#include "runtime/out_of_memory.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

namespace attend::runtime {

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  const auto* const torch_error = dynamic_cast<const c10::Error*>(&error);
  if (torch_error == nullptr) return false;
  // The first comes from LibTorch's allocator for the CPU, the second from CUDA and its libraries.
  const std::string message = torch_error->what_without_backtrace();
  return message.find("can't allocate memory") != std::string::npos ||
         message.find("out of memory") != std::string::npos;
}

}  // namespace attend::runtime
