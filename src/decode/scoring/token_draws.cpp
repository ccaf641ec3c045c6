#include "decode/scoring/token_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/output/log_sum_exp.h"

namespace attend::decode {
namespace {

constexpr std::size_t kBlock = 64;  // tokens whose probabilities a kernel sums first

/// Returns the entry in which the running sum of the weights passes `left`, and sets `left` to the
/// offset within that entry. If rounding made `left` reach the total, returns the last entry with a
/// positive weight.
std::size_t entry_at(double& left, std::span<const double> weights) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
    if (weights[i] > 0.0) last = i;
  }
  left = weights[last];
  return last;
}

double sum_of(std::span<const double> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// A row of logits in blocks of neighbours, so that a draw computes the probabilities of one block
/// only.
class Blocks {
 public:
  Blocks(std::span<const float> row, double highest) : row_(row), highest_(highest) {
    const auto whole = row.size() / kBlock;
    weights_.resize((row.size() + kBlock - 1) / kBlock);
    sum_blocks(0, whole, kBlock);
    if (weights_.size() > whole) sum_blocks(whole, 1, row.size() % kBlock);
    for (double& weight : weights_) weight = std::isfinite(weight) ? relative(weight) : 0.0;
    total_ = sum_of(weights_);
  }

  /// Sum of exp(logit - highest) over the row.
  [[nodiscard]] double total() const { return total_; }

  [[nodiscard]] text::TokenId draw(Random& random) const {
    double left = random.uniform() * total_;
    const auto first = entry_at(left, weights_) * kBlock;
    const auto entries = row_.subspan(first, std::min(kBlock, row_.size() - first));
    std::array<double, kBlock> weights{};
    std::transform(entries.begin(), entries.end(), weights.begin(),
                   [this](float logit) { return relative(logit); });
    return static_cast<text::TokenId>(first + entry_at(left, weights));
  }

 private:
  [[nodiscard]] double relative(double logit) const { return std::exp(logit - highest_); }

  void sum_blocks(std::size_t first, std::size_t count, std::size_t size) {
    kernels::log_sum_exp(row_.data() + first * kBlock, static_cast<int64_t>(count),
                         static_cast<int64_t>(size), weights_.data() + first);
  }

  std::span<const float> row_;
  double highest_;
  std::vector<double> weights_;
  double total_ = 0.0;
};

/// A few tokens of a row, most probable first, with weights exp(logit - highest).
struct Choices {
  std::vector<text::TokenId> tokens;
  std::vector<double> weights;

  void add(text::TokenId token, double weight) {
    tokens.push_back(token);
    weights.push_back(weight);
  }
  [[nodiscard]] text::TokenId draw(Random& random) const {
    double left = random.uniform() * sum_of(weights);
    return tokens[entry_at(left, weights)];
  }
};

/// The fewest tokens that hold `share` (> 0) of the row's probability, at least one.
Choices nucleus(std::span<const float> row, double highest, double share) {
  const double wanted = share * Blocks(row, highest).total();
  const auto less_probable = [&](text::TokenId a, text::TokenId b) {
    return std::pair(row[static_cast<std::size_t>(a)], b) <
           std::pair(row[static_cast<std::size_t>(b)], a);
  };
  std::vector<text::TokenId> heap(row.size());
  std::iota(heap.begin(), heap.end(), 0);
  std::make_heap(heap.begin(), heap.end(), less_probable);
  Choices result;
  for (double sum = 0.0; sum < wanted && !heap.empty(); sum += result.weights.back()) {
    std::pop_heap(heap.begin(), heap.end(), less_probable);
    const auto token = heap.back();
    heap.pop_back();
    result.add(token, std::exp(row[static_cast<std::size_t>(token)] - highest));
  }
  return result;
}

/// The fewest tokens of row n of `likely` that hold `share` of its probability.
Choices listed(const RowScores& likely, std::size_t n, double share) {
  const auto width = static_cast<std::size_t>(likely.width);
  Choices result;
  for (std::size_t cell = n * width; cell < (n + 1) * width; ++cell)
    result.add(likely.tokens[cell], std::exp(likely.log_probs[cell] - likely.log_probs[n * width]));
  const double wanted = share * sum_of(result.weights);
  std::size_t kept = 0;
  for (double sum = 0.0; kept < width && sum < wanted; ++kept) sum += result.weights[kept];
  result.tokens.resize(kept);
  result.weights.resize(kept);
  return result;
}

/// The rows of a step, with the data that all draws from them use.
class Rows {
 public:
  Rows(const torch::Tensor& logits, const SamplingOptions& options)
      : options_(options),
        logits_(logits.to(torch::kCPU, torch::kFloat).contiguous()),
        tempered_(options.temperature == 1.0 ? logits_ : logits_ / options.temperature),
        likely_(most_probable(tempered_, std::max<int64_t>(options.top_k, 1))) {}

  [[nodiscard]] const std::vector<text::TokenId>& best() const { return likely_.best; }
  [[nodiscard]] bool empty(std::size_t n) const { return !std::isfinite(highest(n)); }
  [[nodiscard]] double logit(std::size_t n, text::TokenId token) const {
    return row(logits_, n)[static_cast<std::size_t>(token)];
  }

  /// Draws `draws.count` tokens from row n.
  [[nodiscard]] std::vector<text::TokenId> draw(std::size_t n, const Draws& draws) const {
    if (options_.top_k > 0) return repeat(listed(likely_, n, options_.top_p), draws);
    const auto entries = row(tempered_, n);
    if (options_.top_p < 1.0) return repeat(nucleus(entries, highest(n), options_.top_p), draws);
    return repeat(Blocks(entries, highest(n)), draws);
  }

 private:
  static std::span<const float> row(const torch::Tensor& rows, std::size_t n) {
    const auto size = static_cast<std::size_t>(rows.size(1));
    return {rows.data_ptr<float>() + n * size, size};
  }
  [[nodiscard]] double highest(std::size_t n) const {
    return likely_.log_probs[n * static_cast<std::size_t>(likely_.width)];
  }
  template <class Source>
  static std::vector<text::TokenId> repeat(const Source& source, const Draws& draws) {
    std::vector<text::TokenId> tokens(static_cast<std::size_t>(draws.count));
    for (auto& token : tokens) token = source.draw(*draws.random);
    return tokens;
  }

  SamplingOptions options_;
  torch::Tensor logits_;
  torch::Tensor tempered_;
  RowScores likely_;
};

}  // namespace

RowScores draw(const torch::Tensor& logits, std::span<const Draws> draws,
               const SamplingOptions& options) {
  const auto most = std::max_element(
      draws.begin(), draws.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  auto scores = no_candidates(logits.size(0), most->count);
  const Rows rows(logits, options);
  scores.best = rows.best();
  for (std::size_t n = 0; n < draws.size(); ++n) {
    if (draws[n].count == 0 || rows.empty(n)) continue;
    auto cell = n * static_cast<std::size_t>(scores.width);
    for (const auto token : rows.draw(n, draws[n])) {
      scores.tokens[cell] = token;
      scores.log_probs[cell++] = rows.logit(n, token);
    }
  }
  return scores;
}

}  // namespace attend::decode
