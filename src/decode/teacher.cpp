#include "decode/teacher.h"

#include "data/framing.h"

namespace attend::decode {

Teacher teach(std::span<const std::vector<text::TokenId>> targets, torch::Device device) {
  const data::FramedTargets framed = data::frame_targets({targets.begin(), targets.end()});
  return {framed.input.to(device), framed.output.to(device)};
}

}  // namespace attend::decode
