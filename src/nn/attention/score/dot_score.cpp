#include "nn/attention/score/dot_score.h"

#include <fmt/format.h>

#include "core/error.h"
#include "nn/shape.h"

namespace attend::nn {

void require_equal_sizes(ScoreKind score, ScoreSizes sizes) {
  if (sizes.query == sizes.memory) return;
  throw ConfigError(fmt::format(
      "model.attention.score: {} compares a query of size {} (model.decoder.hidden) with keys of "
      "size {} (model.encoder.hidden, twice if bidirectional); make the sizes equal or choose "
      "general",
      score, sizes.query, sizes.memory));
}

DotScore::DotScore(const AttentionOptions& options, ScoreSizes sizes) {
  require_equal_sizes(options.score, sizes);
}

torch::Tensor DotScore::prepare(const Memory& memory) const {
  return memory.keys;
}

torch::Tensor DotScore::energy(const torch::Tensor& query, const PreparedMemory& memory,
                               const AttentionState&) const {
  check_shape(query, {memory.keys.size(0), kAny, memory.keys.size(2)}, "DotScore query");
  return at::bmm(query, memory.keys.transpose(1, 2));
}

}  // namespace attend::nn
