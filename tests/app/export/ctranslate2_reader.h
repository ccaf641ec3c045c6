#pragma once
#include <torch/types.h>

#include <map>
#include <string>

namespace attend::test {

/// What a reader of CTranslate2's binary format finds in a file.
struct Ctranslate2Content {
  uint32_t version = 0;
  std::string specification;
  uint32_t revision = 0;
  std::map<std::string, torch::Tensor> variables;
  std::map<std::string, std::string> aliases;

  /// The variable `name`, or the one that it is an alias of. Throws std::out_of_range.
  [[nodiscard]] const torch::Tensor& at(const std::string& name) const {
    const auto alias = aliases.find(name);
    return variables.at(alias == aliases.end() ? name : alias->second);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return variables.contains(name) || aliases.contains(name);
  }
};

/// Reads a model.bin, following Model::load() in CTranslate2's src/models/model.cc. Throws
/// std::runtime_error if bytes are missing, left over or do not match a shape.
[[nodiscard]] Ctranslate2Content read_ctranslate2(const std::string& bytes);

}  // namespace attend::test
