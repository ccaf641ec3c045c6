#include "train/together/batch_share.h"

#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace attend::train {
namespace {

using Rows = std::vector<int64_t>;

std::vector<int64_t> numbers_of(const torch::Tensor& lengths) {
  const auto* const begin = lengths.data_ptr<int64_t>();
  return {begin, begin + lengths.numel()};
}

/// Number of tokens of each example, summed over target and sources.
std::vector<int64_t> sizes_of(const data::Batch& batch) {
  std::vector<int64_t> sizes = numbers_of(batch.target_input.lengths);
  for (const data::SentenceBatch& source : batch.sources) {
    const std::vector<int64_t> lengths = numbers_of(source.lengths);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += lengths[i];
  }
  return sizes;
}

/// The rows of a process, in the order of the batch.
Rows rows_of(const data::Batch& batch, int64_t rank, int64_t size) {
  const std::vector<int64_t> sizes = sizes_of(batch);
  Rows order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return sizes[static_cast<std::size_t>(a)] > sizes[static_cast<std::size_t>(b)];
  });
  Rows rows;
  for (std::size_t turn = 0; turn < order.size(); ++turn)
    if (taker(static_cast<int64_t>(turn), size) == rank) rows.push_back(order[turn]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

data::SentenceBatch chosen(const data::SentenceBatch& batch, const torch::Tensor& rows) {
  const torch::Tensor lengths = batch.lengths.index_select(0, rows);
  const int64_t width = lengths.max().item<int64_t>();
  return {batch.ids.index_select(0, rows).narrow(1, 0, width).contiguous(), lengths,
          batch.mask.index_select(0, rows).narrow(1, 0, width).contiguous()};
}

}  // namespace

int64_t taker(int64_t turn, int64_t size) {
  const int64_t place = turn % (2 * size);
  return std::min(place, 2 * size - 1 - place);
}

std::optional<Share> share_of(const data::Batch& batch, int64_t rank, int64_t size) {
  const Rows chosen_rows = rows_of(batch, rank, size);
  if (chosen_rows.empty()) return std::nullopt;
  const torch::Tensor rows = torch::tensor(chosen_rows, torch::kInt64);
  data::Batch share;
  for (const data::SentenceBatch& source : batch.sources) {
    share.sources.push_back(chosen(source, rows));
    share.source_tokens += share.sources.back().lengths.sum().item<int64_t>();
  }
  share.target_input = chosen(batch.target_input, rows);
  share.target_tokens = share.target_input.lengths.sum().item<int64_t>();
  const int64_t width = share.target_input.ids.size(1);
  share.target_output = batch.target_output.index_select(0, rows).narrow(1, 0, width).contiguous();
  if (batch.goals.defined())
    share.goals = batch.goals.index_select(0, rows)
                      .narrow(1, 0, width)
                      .narrow(2, 0, share.source().ids.size(1))
                      .contiguous();
  for (const int64_t row : chosen_rows)
    share.lines.push_back(batch.lines.at(static_cast<std::size_t>(row)));
  return Share{std::move(share), rows};
}

}  // namespace attend::train
