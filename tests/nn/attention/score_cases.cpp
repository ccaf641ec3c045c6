#include "tests/nn/attention/score_cases.h"

#include "nn/attention/attention.h"

namespace attend::test {

nn::Memory memory_of(const torch::Tensor& keys) {
  const torch::Tensor batch = keys.unsqueeze(0);
  return {batch, batch, torch::ones({1, keys.size(0)}, torch::kBool),
          torch::full({1}, keys.size(0), torch::kInt64)};
}

torch::Tensor energies(const nn::AttentionScore& score, const torch::Tensor& queries,
                       const torch::Tensor& keys) {
  const nn::Memory memory = memory_of(keys);
  return score.energy(queries.unsqueeze(0), {memory, score.prepare(memory), {}, {}}, {}).squeeze(0);
}

std::shared_ptr<nn::AttentionScore> score_f64(nn::ScoreKind kind, nn::ScoreSizes sizes,
                                              nn::AttentionOptions options) {
  options.score = kind;
  auto score = nn::make_score(options, sizes);
  score->to(torch::kFloat64);
  return score;
}

}  // namespace attend::test
