#include "decode/scoring/row_scores.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "kernels/output/log_sum_exp.h"
#include "kernels/output/top_entries.h"

namespace attend::decode {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr int64_t kWidestScan =
    64;  // above it a general selection is faster than insertion into a sorted list

torch::Tensor on_cpu(const torch::Tensor& logits) {
  return logits.to(torch::kCPU, torch::kFloat).contiguous();
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

torch::Tensor index_of(const auto& values, torch::Device device) {
  return torch::tensor(std::vector<int64_t>(values.begin(), values.end())).to(device);
}

}  // namespace

RowScores no_candidates(int64_t rows, int64_t width) {
  const auto cells = static_cast<std::size_t>(rows * width);
  return {.width = width,
          .tokens = std::vector(cells, text::kEos),
          .log_probs = std::vector(cells, kNever),
          .best = std::vector(static_cast<std::size_t>(rows), text::kPad),
          .wanted = {},
          .extra = {}};
}

void forbid_special_symbols(torch::Tensor& logits, bool allow_unknown) {
  for (const auto token : {text::kPad, text::kBos, text::kUnk}) {
    if (token != text::kUnk || !allow_unknown) logits.select(1, token).fill_(kNever);
  }
}

void forbid_tokens(torch::Tensor& logits, std::span<const int64_t> rows,
                   std::span<const text::TokenId> tokens) {
  const auto device = logits.device();
  logits.index_put_({index_of(rows, device), index_of(tokens, device)}, kNever);
}

std::vector<double> values_at(const torch::Tensor& logits, std::span<const int64_t> rows,
                              std::span<const text::TokenId> columns) {
  const auto device = logits.device();
  const auto values = logits.index({index_of(rows, device), index_of(columns, device)})
                          .to(torch::kCPU, torch::kDouble)
                          .contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
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

void check_columns(const torch::Tensor& logits, std::span<const text::TokenId> columns) {
  const auto outside = [&](text::TokenId token) { return token < 0 || token >= logits.size(1); };
  if (std::any_of(columns.begin(), columns.end(), outside))
    throw std::logic_error("a token is outside the vocabulary");
}

std::vector<double> logits_of(const torch::Tensor& logits, std::span<const text::TokenId> tokens) {
  check_columns(logits, tokens);
  const std::vector<int64_t> ids(tokens.begin(), tokens.end());
  const auto index = torch::tensor(ids).to(logits.device()).unsqueeze(1);
  const auto values = logits.gather(1, index).to(torch::kCPU, torch::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

RowScores most_probable(const torch::Tensor& logits, int64_t width) {
  auto scores = no_candidates(logits.size(0), std::min(width, logits.size(1)));
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

void normalize(RowScores& scores, std::span<const double> log_sums) {
  const auto width = static_cast<std::size_t>(scores.width);
  for (std::size_t n = 0; n < log_sums.size(); ++n) {
    for (std::size_t cell = n * width; cell < (n + 1) * width; ++cell)
      scores.log_probs[cell] -= log_sums[n];
    scores.wanted[n] -= log_sums[n];
    if (scores.extra.empty()) continue;
    for (TokenScore& score : scores.extra[n]) score.log_prob -= log_sums[n];
  }
}

}  // namespace attend::decode
