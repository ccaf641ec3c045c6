#include "model/sources/source_sides.h"

#include <stdexcept>

#include "nn/rnn/sequence.h"
#include "text/vocabulary.h"

namespace attend::model {
namespace {

/// 0 ... steps-1 as a row, [1, steps].
torch::Tensor places(int64_t steps, const torch::Tensor& like) {
  return torch::arange(steps, like.options()).unsqueeze(0);
}

}  // namespace

SourceSides::SourceSides(const data::SentenceBatch& joined, int64_t sources)
    : positions_(joined.ids.size(1)), mask_(joined.mask) {
  const torch::Tensor ends = joined.ids.eq(text::kEos).logical_and(joined.mask);
  if (!ends.sum(1).eq(sources).all().item<bool>()) {
    throw std::logic_error("an example has a different number of sources than the model reads");
  }
  number_ = ends.cumsum(1) - ends.to(torch::kInt64);
  torch::Tensor start = torch::zeros({joined.ids.size(0), 1}, number_.options());
  for (int64_t k = 0; k < sources; ++k) {
    const torch::Tensor lengths =
        number_.eq(k).logical_and(joined.mask).sum(1, /*keepdim=*/true);  // [B, 1]
    const torch::Tensor place = places(lengths.max().item<int64_t>(), lengths);
    const torch::Tensor real = place.lt(lengths);
    const torch::Tensor ids =
        nn::gather_positions(joined.ids, (start + place).clamp_max(positions_ - 1));
    sides_.push_back({ids.masked_fill(real.logical_not(), int64_t{text::kPad}),
                      lengths.squeeze(1).to(torch::kCPU), real});
    starts_.push_back(start);
    start = start + lengths;
  }
}

nn::IndexedRows SourceSides::of_side(const nn::IndexedRows& x, std::size_t k) const {
  const torch::Tensor& start = starts_.at(k);
  const torch::Tensor from =
      (start + places(sides_[k].ids.size(1), start)).clamp_max(positions_ - 1);
  if (x.index.defined()) return {x.rows, nn::gather_positions(x.index, from)};
  return nn::gather_positions(x.rows, from);
}

torch::Tensor SourceSides::joined(const std::vector<torch::Tensor>& x) const {
  torch::Tensor from = places(positions_, number_);
  torch::Tensor offsets = torch::zeros_like(number_);
  int64_t before = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    offsets = at::where(number_.eq(static_cast<int64_t>(k)), before - starts_[k], offsets);
    before += x[k].size(1);
  }
  const torch::Tensor at_place = (from + offsets).masked_fill(mask_.logical_not(), 0);
  return nn::gather_positions(at::cat(x, 1), at_place) * mask_.unsqueeze(2);
}

torch::Tensor SourceSides::row_of(const SideTable& table, std::size_t k,
                                  const torch::Tensor& like) const {
  const int64_t lines = number_.size(0), rows = sides_[k].ids.size(1);
  std::vector<torch::Tensor> parts;
  for (std::size_t l = 0; l < sides_.size(); ++l) {
    const torch::Tensor& part = table[k][l];
    const int64_t width = sides_[l].ids.size(1);
    parts.push_back(part.defined() ? part.expand({lines, rows, width})
                                   : torch::zeros({lines, rows, width}, like.options()));
  }
  return at::cat(parts, 2);
}

torch::Tensor SourceSides::joined(const SideTable& table) const {
  torch::Tensor like;
  for (const auto& row : table) {
    for (const torch::Tensor& part : row) like = part.defined() ? part : like;
  }
  std::vector<torch::Tensor> rows, columns;
  for (std::size_t k = 0; k < sides_.size(); ++k) rows.push_back(row_of(table, k, like));
  const torch::Tensor by_column = joined(rows).transpose(1, 2);  // [B, S_1 + ... + S_K, S]
  int64_t begin = 0;
  for (const data::SentenceBatch& side : sides_) {
    columns.push_back(by_column.narrow(1, begin, side.ids.size(1)));
    begin += side.ids.size(1);
  }
  return joined(columns).transpose(1, 2);
}

torch::Tensor SourceSides::columns() const {
  int64_t longest = 0;
  for (const data::SentenceBatch& side : sides_) longest = std::max(longest, side.ids.size(1));
  std::vector<torch::Tensor> columns;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    const torch::Tensor place = places(longest, starts_[k]);
    const torch::Tensor lengths = sides_[k].lengths_there().unsqueeze(1);
    columns.push_back((starts_[k] + place).masked_fill(place.ge(lengths), positions_));
  }
  return torch::stack(columns, 1);
}

}  // namespace attend::model
