#pragma once
// What the writer and the reader of tensor files agree on beyond the container. Used by
// weights_file.cpp and tensor_reader.cpp only.
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "storage/tensor_container.h"

namespace attend::storage::tensor_format {

/// The safetensors name of a type ("F32"). Throws std::logic_error for a type that it has no name
/// for.
[[nodiscard]] std::string_view type_name(torch::ScalarType type);
[[nodiscard]] std::optional<torch::ScalarType> type_of(std::string_view name);

[[nodiscard]] uint64_t add_to_checksum(uint64_t checksum, const torch::Tensor& tensor);

}  // namespace attend::storage::tensor_format
