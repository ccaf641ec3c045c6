#include <torch/utils.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "storage/tensor_format.h"
#include "storage/weights_file.h"

namespace attend::storage {
namespace {

using tensor_format::ContainerReader;
using tensor_format::Entry;

constexpr uint64_t kChunkBytes = uint64_t{1} << 20;

/// Reads the next tensor of the file.
torch::Tensor read_tensor(ContainerReader& reader, const Entry& entry) {
  const std::optional<torch::ScalarType> type = tensor_format::type_of(entry.type);
  if (!type) reader.fail("tensor \"" + entry.name + "\" has an unknown type");
  torch::Tensor tensor = torch::empty(entry.shape, *type);
  reader.read(tensor.data_ptr(), entry.bytes());
  return tensor;
}

}  // namespace

TensorFile load_tensors(const std::filesystem::path& file) {
  ContainerReader reader(file);
  TensorFile content{{}, reader.metadata()};
  for (const Entry& entry : reader.entries())
    content.tensors[entry.name] = read_tensor(reader, entry);
  reader.check();
  return content;
}

void check_tensors(const std::filesystem::path& file) {
  ContainerReader reader(file);
  std::string chunk;
  for (const Entry& entry : reader.entries()) {
    for (uint64_t left = entry.bytes(); left > 0; left -= chunk.size()) {
      chunk.resize(std::min(left, kChunkBytes));
      reader.read(chunk.data(), chunk.size());
    }
  }
  reader.check();
}

std::map<std::string, std::string> load_metadata(const std::filesystem::path& file) {
  return ContainerReader(file).metadata();
}

}  // namespace attend::storage
