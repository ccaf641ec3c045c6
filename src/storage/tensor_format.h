#pragma once
// Tensor types and checksums shared by the writer (weights_file.cpp) and the reader
// (tensor_reader.cpp) of tensor files.
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "storage/tensor_container.h"

namespace attend::storage::tensor_format {

/// The safetensors name of a type ("F32"). Throws std::logic_error for an unsupported type.
[[nodiscard]] std::string_view type_name(torch::ScalarType type);
[[nodiscard]] std::optional<torch::ScalarType> type_of(std::string_view name);

[[nodiscard]] uint64_t add_to_checksum(uint64_t checksum, const torch::Tensor& tensor);

}  // namespace attend::storage::tensor_format
