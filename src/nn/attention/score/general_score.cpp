#include "nn/attention/score/general_score.h"

#include "nn/linear.h"
#include "nn/shape.h"

namespace attend::nn {

GeneralScore::GeneralScore(const AttentionOptions&, ScoreSizes sizes)
    : weight_(register_parameter("weight", torch::empty({sizes.query, sizes.memory}))) {}

torch::Tensor GeneralScore::prepare(const Memory& memory) const {
  check_shape(memory.keys, {kAny, kAny, weight_.size(1)}, "GeneralScore keys");
  return nn::linear(memory.keys, weight_);
}

torch::Tensor GeneralScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                   const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, weight_.size(0)}, "GeneralScore query");
  return at::bmm(query, memory.keys.transpose(1, 2));
}

void GeneralScore::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
}

}  // namespace attend::nn
