#include "decode/scoring/device_scores.h"

#include <algorithm>
#include <cmath>

#include "decode/scoring/finite.h"

namespace attend::decode {
namespace {

constexpr int64_t kLeading = 2;  // columns before the best ones: wanted, sample

}  // namespace

DeviceScores::DeviceScores(const torch::Tensor& logits, const torch::Tensor& wanted)
    : log_probs_(logits.log_softmax(1)),
      wanted_(log_probs_.gather(1, wanted.unsqueeze(1))),
      sample_(log_probs_.narrow(1, 0, 1).clone()) {}

RowScores DeviceScores::take(int64_t width, std::span<const char> alive) const {
  RowScores scores = no_candidates(log_probs_.size(0), std::min(width, log_probs_.size(1)));
  const auto [values, columns] = log_probs_.topk(scores.width, 1);
  const auto real = [](const torch::Tensor& x) { return x.to(torch::kDouble); };
  const torch::Tensor host =
      torch::cat({real(wanted_), real(sample_), real(values), real(columns)}, 1).cpu();
  const auto* row = host.data_ptr<double>();
  for (std::size_t n = 0; n < alive.size(); ++n, row += host.size(1)) {
    const double finite = std::isnan(row[1]) ? row[1] : 0.0;
    if (alive[n] != 0) require_finite({&finite, 1});
    scores.wanted.push_back(row[0]);
    for (int64_t c = 0; c < scores.width; ++c) {
      const auto cell = n * static_cast<std::size_t>(scores.width) + static_cast<std::size_t>(c);
      scores.log_probs[cell] = row[kLeading + c];
      scores.tokens[cell] = static_cast<text::TokenId>(row[kLeading + scores.width + c]);
    }
    scores.best[n] = scores.tokens[n * static_cast<std::size_t>(scores.width)];
  }
  return scores;
}

}  // namespace attend::decode
