#pragma once
// What the writer and the reader of tensor files agree on. Used by weights_file.cpp and
// tensor_reader.cpp only.
#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace attend::model::tensor_format {

inline constexpr auto kMetadata = "__metadata__";
inline constexpr auto kVersionKey = "attend_format";
inline constexpr auto kVersion = "1";
inline constexpr auto kChecksumKey = "checksum";
inline constexpr uint64_t kMostHeaderBytes = 100'000'000;  // the limit of the safetensors library
inline constexpr uint64_t kAlignment = 8;                  // of the first tensor in the file

/// The safetensors name of a type ("F32"). Throws std::logic_error for a type that it has no name
/// for.
[[nodiscard]] std::string_view type_name(torch::ScalarType type);
[[nodiscard]] std::optional<torch::ScalarType> type_of(std::string_view name);

/// "crc32:0123abcd", as it stands in the metadata.
[[nodiscard]] std::string checksum_text(uint64_t checksum);
/// The checksum covers what the header says, apart from the checksum itself, and then all tensor
/// bytes.
[[nodiscard]] uint64_t header_checksum(nlohmann::json header);
[[nodiscard]] uint64_t add_to_checksum(uint64_t checksum, const torch::Tensor& tensor);

}  // namespace attend::model::tensor_format
