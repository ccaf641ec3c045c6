#include "decode/row_scores.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "kernels/log_sum_exp.h"
#include "kernels/top_entries.h"

namespace attend::decode {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr int64_t kWidestScan =
    64;  // above it insertion into a sorted list loses to a general selection

torch::Tensor on_cpu(const torch::Tensor& logits) {
  return logits.to(torch::kCPU, torch::kFloat).contiguous();
}

RowScores empty_scores(int64_t rows, int64_t width) {
  const auto cells = static_cast<std::size_t>(rows * width);
  return {width,
          std::vector(cells, text::kEos),
          std::vector(cells, kNever),
          std::vector(static_cast<std::size_t>(rows), text::kPad),
          {}};
}

void scan(const torch::Tensor& logits, RowScores& scores) {
  const auto rows = on_cpu(logits);
  kernels::top_entries({.rows = rows.size(0),
                        .columns = rows.size(1),
                        .x = rows.data_ptr<float>(),
                        .width = scores.width,
                        .places = scores.tokens.data(),
                        .values = scores.log_probs.data()});
}

void select_by_library(const torch::Tensor& logits, RowScores& scores) {
  const auto best = logits.topk(scores.width, 1);
  const auto values = std::get<0>(best).to(torch::kCPU, torch::kDouble).contiguous();
  const auto indices = std::get<1>(best).to(torch::kCPU, torch::kInt).contiguous();
  std::copy_n(values.data_ptr<double>(), values.numel(), scores.log_probs.begin());
  std::copy_n(indices.data_ptr<int32_t>(), indices.numel(), scores.tokens.begin());
}

/// One token with its unnormalised probability.
struct Choice {
  text::TokenId token = text::kEos;
  double weight = 0.0;
};

std::vector<Choice> tempered(std::span<const float> row, double temperature) {
  const double highest = *std::max_element(row.begin(), row.end());
  std::vector<Choice> choices;
  choices.reserve(row.size());
  for (std::size_t v = 0; v < row.size(); ++v) {
    const double weight = std::exp((row[v] - highest) / temperature);
    if (weight > 0.0) choices.push_back({static_cast<text::TokenId>(v), weight});
  }
  return choices;
}

double total_weight(const std::vector<Choice>& choices) {
  double total = 0.0;
  for (const auto& choice : choices) total += choice.weight;
  return total;
}

/// The fewest of the sorted choices that hold `share` of the weight: at least one, as share > 0.
std::size_t nucleus(const std::vector<Choice>& choices, double share) {
  const double wanted = share * total_weight(choices);
  double sum = 0.0;
  std::size_t count = 0;
  while (count < choices.size() && sum < wanted) sum += choices[count++].weight;
  return count;
}

void cut(std::vector<Choice>& choices, const SamplingOptions& options) {
  if (options.top_k == 0 && options.top_p >= 1.0) return;
  std::stable_sort(choices.begin(), choices.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  if (options.top_k > 0)
    choices.resize(std::min(choices.size(), static_cast<std::size_t>(options.top_k)));
  if (options.top_p < 1.0) choices.resize(nucleus(choices, options.top_p));
}

text::TokenId draw_one(const std::vector<Choice>& choices, Random& random) {
  double left = random.uniform() * total_weight(choices);
  for (const auto& choice : choices) {
    left -= choice.weight;
    if (left < 0.0) return choice.token;
  }
  return choices.back().token;  // rounding ate the last bit
}

}  // namespace

void forbid_special_symbols(torch::Tensor& logits, bool allow_unknown) {
  for (const auto token : {text::kPad, text::kBos, text::kUnk}) {
    if (token != text::kUnk || !allow_unknown) logits.select(1, token).fill_(kNever);
  }
}

std::vector<double> log_sums(const torch::Tensor& logits) {
  std::vector<double> sums(static_cast<std::size_t>(logits.size(0)));
  if (logits.is_cpu()) {
    const auto rows = on_cpu(logits);
    kernels::log_sum_exp(rows.data_ptr<float>(), rows.size(0), rows.size(1), sums.data());
  } else {
    const auto values = logits.logsumexp(1).to(torch::kCPU, torch::kDouble).contiguous();
    std::copy_n(values.data_ptr<double>(), sums.size(), sums.begin());
  }
  return sums;
}

std::vector<double> logits_of(const torch::Tensor& logits, std::span<const text::TokenId> tokens) {
  const auto outside = [&](text::TokenId token) { return token < 0 || token >= logits.size(1); };
  if (std::any_of(tokens.begin(), tokens.end(), outside))
    throw std::logic_error("token outside the vocabulary");
  const std::vector<int64_t> ids(tokens.begin(), tokens.end());
  const auto index = torch::tensor(ids).to(logits.device()).unsqueeze(1);
  const auto values = logits.gather(1, index).to(torch::kCPU, torch::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

RowScores most_probable(const torch::Tensor& logits, int64_t width) {
  auto scores = empty_scores(logits.size(0), std::min(width, logits.size(1)));
  if (logits.is_cpu() && scores.width <= kWidestScan) {
    scan(logits, scores);
  } else {
    select_by_library(logits, scores);
  }
  for (std::size_t n = 0; n < scores.best.size(); ++n) {
    scores.best[n] = scores.tokens[n * static_cast<std::size_t>(scores.width)];
  }
  return scores;
}

RowScores draw(const torch::Tensor& logits, std::span<const Draws> draws,
               const SamplingOptions& options) {
  const auto rows = on_cpu(logits);
  const auto vocabulary = static_cast<std::size_t>(rows.size(1));
  const auto most = std::max_element(
      draws.begin(), draws.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  auto scores = empty_scores(rows.size(0), most->count);
  for (std::size_t n = 0; n < draws.size(); ++n) {
    if (draws[n].count == 0) continue;
    const std::span row(rows.data_ptr<float>() + n * vocabulary, vocabulary);
    auto choices = tempered(row, options.temperature);
    if (choices.empty()) continue;
    cut(choices, options);
    for (std::size_t i = 0; i < static_cast<std::size_t>(draws[n].count); ++i) {
      const auto cell = n * static_cast<std::size_t>(scores.width) + i;
      scores.tokens[cell] = draw_one(choices, *draws[n].random);
      scores.log_probs[cell] = row[static_cast<std::size_t>(scores.tokens[cell])];
    }
    scores.best[n] =
        static_cast<text::TokenId>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return scores;
}

void normalize(RowScores& scores, std::span<const double> log_sums) {
  const auto width = static_cast<std::size_t>(scores.width);
  for (std::size_t n = 0; n < log_sums.size(); ++n) {
    for (std::size_t cell = n * width; cell < (n + 1) * width; ++cell)
      scores.log_probs[cell] -= log_sums[n];
    scores.wanted[n] -= log_sums[n];
  }
}

}  // namespace attend::decode
