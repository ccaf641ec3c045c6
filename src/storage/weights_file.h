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

/// Writes atomically, adding our format version and a checksum of header and tensor bytes to the
/// metadata, and takes the place of the old file only after it was read back from the disk and
/// found whole. The old file gets the name `keep_old_as`, or goes. Same content, same bytes. Throws
/// DataError; the old file is in its place then.
void save_tensors(const std::filesystem::path& path, const TensorFile& content,
                  const std::filesystem::path& keep_old_as = {});

/// Reads what save_tensors wrote. Every length is checked against the file's size before anything
/// is allocated. Throws ModelFileError for a missing, truncated, foreign or damaged file and
/// VersionError for another format version. The metadata comes back without our version and
/// checksum.
[[nodiscard]] TensorFile load_tensors(const std::filesystem::path& path);

/// Throws what load_tensors() would, reading the whole file but keeping nothing of it.
void check_tensors(const std::filesystem::path& path);

/// The metadata alone, without reading the tensors: lengths are checked as above, the checksum is
/// not.
[[nodiscard]] std::map<std::string, std::string> load_metadata(const std::filesystem::path& path);

/// All parameters under their names ("encoder.layers.0.forward.input_weight", ...).
[[nodiscard]] std::map<std::string, torch::Tensor> weights_of(const torch::nn::Module& model);

/// Copies `weights` into the model; those of 0.1.0 fit, too. Throws ModelFileError, naming `path`,
/// if a name or shape does not fit.
void set_weights(torch::nn::Module& model, const std::map<std::string, torch::Tensor>& weights,
                 const std::filesystem::path& path);

}  // namespace attend::storage
