// Checkpoints and weights: the safetensors container.
#include <string>
#include <vector>

#include "core/error.h"
#include "storage/tensor_container.h"
#include "tests/fuzz/support.h"

namespace {

using attend::fuzz::require;
using attend::storage::tensor_format::ContainerReader;

void read_all(const std::filesystem::path& path, std::size_t file_size) {
  ContainerReader reader(path);
  uint64_t total = 0;
  for (const auto& entry : reader.entries()) {
    require(entry.bytes() <= file_size, "no tensor is larger than the file");
    std::vector<char> bytes(entry.bytes());
    reader.read(bytes.data(), bytes.size());
    total += bytes.size();
  }
  require(total < file_size, "all tensors together are smaller than the file");
  reader.check();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static attend::fuzz::MemoryFile file;
  try {
    read_all(file.holding(attend::fuzz::text_of(data, size)), size);
  } catch (const attend::ModelFileError& error) {
    require(*error.what() != '\0', "a refusal says why");
  }
  return 0;
}
