#include "decode/teacher.h"

namespace attend::decode {

Teacher teach(std::span<const std::vector<text::TokenId>> targets, torch::Device device) {
  std::vector<std::vector<text::TokenId>> inputs;
  std::vector<std::vector<text::TokenId>> outputs;
  for (const auto& target : targets) {
    auto& input = inputs.emplace_back(1, text::kBos);
    input.insert(input.end(), target.begin(), target.end());
    outputs.emplace_back(target).push_back(text::kEos);
  }
  return {data::pad(inputs).to(device), data::pad(outputs).ids.to(device)};
}

}  // namespace attend::decode
