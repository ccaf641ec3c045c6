#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "storage/version_error.h"

namespace torch::nn {
class Module;
}

namespace attend::storage {

/// Named tensors with text metadata, in the safetensors format: 8-byte little-endian header length,
/// JSON header, raw little-endian tensors. Tensors are contiguous and on the CPU.
struct TensorFile {
  std::map<std::string, torch::Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Writes atomically, with our format version and a checksum of header and tensor bytes in the
/// metadata. The new file is read back and checked before it replaces the old one, which is renamed
/// to `keep_old_as` or deleted. The same content gives the same bytes. Throws DataError and then
/// leaves the old file in place.
void save_tensors(const std::filesystem::path& path, const TensorFile& content,
                  const std::filesystem::path& keep_old_as = {});

/// Reads what save_tensors() wrote. Every length is checked against the file size before memory is
/// allocated. Returns the metadata without our version and checksum. Throws ModelFileError for a
/// missing, truncated, foreign or damaged file and VersionError for another format version.
[[nodiscard]] TensorFile load_tensors(const std::filesystem::path& path);

/// Reads the whole file and throws what load_tensors() would throw, but keeps nothing in memory.
void check_tensors(const std::filesystem::path& path);

/// Reads only the metadata. Checks the lengths but not the checksum.
[[nodiscard]] std::map<std::string, std::string> load_metadata(const std::filesystem::path& path);

/// All parameters by name ("encoder.layers.0.forward.input_weight", ...).
[[nodiscard]] std::map<std::string, torch::Tensor> weights_of(const torch::nn::Module& model);

/// Copies `weights` into the model; also accepts weights of version 0.1.0. Throws ModelFileError
/// for `path` if a name or shape does not match.
void set_weights(torch::nn::Module& model, const std::map<std::string, torch::Tensor>& weights,
                 const std::filesystem::path& path);

}  // namespace attend::storage
