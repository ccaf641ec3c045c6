#include "nn/attention/score/location_score.h"

#include <algorithm>

#include "nn/shape.h"

namespace attend::nn {

LocationScore::LocationScore(const AttentionOptions& options, ScoreSizes sizes)
    : weight_(
          register_parameter("weight", torch::empty({options.max_source_length, sizes.query}))) {}

torch::Tensor LocationScore::prepare(const Memory& memory) const {
  return memory.keys;
}

torch::Tensor LocationScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                                    const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, weight_.size(1)}, "LocationScore query");
  const int64_t source = memory.keys.size(1);
  const int64_t seen = std::min(source, weight_.size(0));
  const torch::Tensor energies = at::linear(query, weight_.slice(0, 0, seen));  // [N, T, seen]
  if (seen == source) return energies;
  return at::constant_pad_nd(energies, {0, source - seen});
}

torch::Tensor LocationScore::visible(const torch::Tensor& mask) const {
  const int64_t source = mask.size(1);
  if (source <= weight_.size(0)) return mask;
  return mask.logical_and(torch::arange(source, weight_.device()) < weight_.size(0));
}

void LocationScore::initialize(const at::Generator& generator) {
  xavier_uniform(weight_, generator);
}

LoopScore LocationScore::unroll(fused::Loop& loop, const LoopQuery& asked) const {
  const int64_t seen = std::min(asked.memory.memory.keys.size(1), weight_.size(0));
  const fused::LoopValue energies = loop.computed(seen);
  loop.linear(asked.query, weight_.slice(0, 0, seen), energies);
  return {energies, fused::GivenEnergy{}, seen};
}

}  // namespace attend::nn
