#include "storage/tensor_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "core/checksum.h"

static_assert(std::endian::native == std::endian::little,
              "tensor files hold little-endian numbers");

namespace attend::storage::tensor_format {
namespace {

struct TypeName {
  torch::ScalarType type;
  std::string_view name;
};

constexpr std::array<TypeName, 10> kTypes = {{{torch::kFloat32, "F32"},
                                              {torch::kFloat64, "F64"},
                                              {torch::kFloat16, "F16"},
                                              {torch::kBFloat16, "BF16"},
                                              {torch::kInt64, "I64"},
                                              {torch::kInt32, "I32"},
                                              {torch::kInt16, "I16"},
                                              {torch::kInt8, "I8"},
                                              {torch::kUInt8, "U8"},
                                              {torch::kBool, "BOOL"}}};

}  // namespace

std::string_view type_name(torch::ScalarType type) {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [type](const TypeName& t) { return t.type == type; });
  if (found == kTypes.end())
    throw std::logic_error("type_name: this tensor type has no safetensors name");
  return found->name;
}

std::optional<torch::ScalarType> type_of(std::string_view name) {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [name](const TypeName& t) { return t.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

uint64_t add_to_checksum(uint64_t checksum, const torch::Tensor& tensor) {
  return attend::add_to_checksum(checksum, tensor.data_ptr(), tensor.nbytes());
}

}  // namespace attend::storage::tensor_format
