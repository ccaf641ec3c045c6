#include "app/export/ctranslate2_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"

namespace attend::app {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as in memory");

constexpr uint32_t kBinaryVersion = 6;
constexpr const char* kSpecification = "TransformerSpec";
constexpr uint32_t kRevision = 7;

template <class Number>
void append(std::string& bytes, std::type_identity_t<Number> number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_string(std::string& bytes, const std::string& text) {
  append<uint16_t>(bytes, static_cast<uint16_t>(text.size() + 1));
  bytes.append(text.c_str(), text.size() + 1);
}

uint8_t type_number(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat:
      return 0;
    case torch::kChar:
      return 1;
    case torch::kShort:
      return 2;
    case torch::kInt:
      return 3;
    default:
      throw std::logic_error("CTranslate2 has no such tensor type");
  }
}

void append_variable(std::string& bytes, const std::string& name, const torch::Tensor& variable) {
  const torch::Tensor data = variable.to(torch::kCPU).contiguous();
  if (data.nbytes() > std::numeric_limits<uint32_t>::max())
    throw UsageError(fmt::format("CTranslate2 cannot hold {}, which has 4 GiB or more", name));
  append_string(bytes, name);
  append<uint8_t>(bytes, static_cast<uint8_t>(data.dim()));
  for (const int64_t size : data.sizes()) append<uint32_t>(bytes, static_cast<uint32_t>(size));
  append<uint8_t>(bytes, type_number(data.scalar_type()));
  append<uint32_t>(bytes, static_cast<uint32_t>(data.nbytes()));
  bytes.append(static_cast<const char*>(data.data_ptr()), data.nbytes());
}

using Named = std::pair<std::string, torch::Tensor>;

bool is_same_tensor(const torch::Tensor& a, const torch::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && torch::equal(a, b);
}

/// The variables to write in full, and pairs of alias and name for the others.
struct Unique {
  std::vector<Named> variables;
  std::vector<std::pair<std::string, std::string>> aliases;
};

Unique without_copies(const Ctranslate2Variables& variables) {
  Unique unique;
  for (const auto& [name, tensor] : variables) {
    const auto same = std::find_if(unique.variables.begin(), unique.variables.end(),
                                   [&tensor = tensor](const Named& earlier) {
                                     return is_same_tensor(earlier.second, tensor);
                                   });
    if (tensor.dim() > 0 && same != unique.variables.end()) {
      unique.aliases.emplace_back(name, same->first);
    } else {
      unique.variables.emplace_back(name, tensor);
    }
  }
  return unique;
}

}  // namespace

std::string ctranslate2_bytes(const Ctranslate2Variables& variables) {
  const Unique unique = without_copies(variables);
  std::string bytes;
  append<uint32_t>(bytes, kBinaryVersion);
  append_string(bytes, kSpecification);
  append<uint32_t>(bytes, kRevision);
  append<uint32_t>(bytes, static_cast<uint32_t>(unique.variables.size()));
  for (const auto& [name, tensor] : unique.variables) append_variable(bytes, name, tensor);
  append<uint32_t>(bytes, static_cast<uint32_t>(unique.aliases.size()));
  for (const auto& [alias, name] : unique.aliases) {
    append_string(bytes, alias);
    append_string(bytes, name);
  }
  return bytes;
}

}  // namespace attend::app
