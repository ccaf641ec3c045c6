#include "model/hierarchical/segment_layout.h"

#include "text/vocabulary.h"

namespace attend::model {
namespace {

/// x [N, *] with a row of zeros appended.
torch::Tensor with_nothing(const torch::Tensor& x) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.front() = 1;
  return at::cat({x, torch::zeros(sizes, x.options())});
}

/// [B, S] int64: distance of each position from the separator before it, from 0.
torch::Tensor places_after(const torch::Tensor& ends, const torch::Tensor& position) {
  const torch::Tensor last = std::get<0>(at::where(ends, position, -1).cummax(1));
  return position - 1 - at::constant_pad_nd(last.slice(1, 0, -1), {1, 0}, -1);
}

}  // namespace

SegmentLayout::SegmentLayout(const data::SentenceBatch& source, const SegmentMarks& marks) {
  const torch::Tensor& ids = source.ids;
  const int64_t lines = ids.size(0), steps = ids.size(1);
  const torch::Tensor ends = ids.eq(marks.separator).logical_and(source.mask);
  const torch::Tensor word = source.mask.logical_and(ends.logical_not())
                                 .logical_and(ids.ne(text::kEos))
                                 .logical_and(ids.ne(marks.blank));
  const torch::Tensor passed = ends.cumsum(1);
  const torch::Tensor number = passed - ends.to(torch::kInt64);  // segment number, counting empty
                                                                 // segments
  const torch::Tensor kept = torch::zeros({lines, steps + 1}, number.options())
                                 .scatter_add(1, number, word.to(torch::kInt64))
                                 .gt(0)
                                 .scatter(1, passed.slice(1, -1), true);
  const torch::Tensor belongs = source.mask.logical_and(kept.gather(1, number));
  const torch::Tensor position = torch::arange(steps, number.options()).expand({lines, steps});
  group = (kept.cumsum(1) - 1).gather(1, number).masked_fill(belongs.logical_not(), -1);
  place_ = places_after(ends, position);
  counts = kept.sum(1);

  const int64_t most = counts.max().item<int64_t>();
  const int64_t longest = place_.masked_fill(belongs.logical_not(), -1).max().item<int64_t>() + 1;
  const torch::Tensor slot =
      (group * longest + place_).masked_fill(belongs.logical_not(), most * longest);
  columns = torch::full({lines, most * longest + 1}, steps, number.options())
                .scatter(1, slot, position)
                .slice(1, 0, -1)
                .reshape({lines, most, longest});
  present = torch::arange(most, number.options()).unsqueeze(0).lt(counts.unsqueeze(1));
  segment_index_ = present.flatten().nonzero().squeeze(1);
  rank_ = torch::full({lines * most}, segment_index_.size(0), number.options())
              .scatter(0, segment_index_, torch::arange(segment_index_.size(0), number.options()));
  mask = columns.flatten(0, 1).index_select(0, segment_index_).lt(steps);
  lengths = mask.sum(1);
  owner = at::div(segment_index_, most, "floor");
}

nn::IndexedRows SegmentLayout::by_segment(const nn::IndexedRows& x) const {
  const int64_t steps = group.size(1);
  const torch::Tensor line = torch::arange(group.size(0), columns.options()).view({-1, 1, 1});
  const torch::Tensor from = (columns.clamp_max(steps - 1) + line * steps)
                                 .flatten(0, 1)
                                 .index_select(0, segment_index_);  // [P, L] among [B * S]
  if (x.index.defined())
    return {x.rows, x.index.reshape(-1).index_select(0, from.flatten()).view_as(from)};
  return x.rows.flatten(0, 1).index_select(0, from.flatten()).unflatten(0, from.sizes());
}

torch::Tensor SegmentLayout::by_line(const torch::Tensor& x) const {
  return with_nothing(x).index_select(0, rank_).unflatten(0, present.sizes());
}

torch::Tensor SegmentLayout::of_segments(const torch::Tensor& x) const {
  return x.flatten(0, 1).index_select(0, segment_index_);
}

torch::Tensor SegmentLayout::by_position(const torch::Tensor& x) const {
  const int64_t longest = columns.size(2);
  const torch::Tensor line = torch::arange(group.size(0), columns.options()).unsqueeze(1);
  const torch::Tensor segment = (line * columns.size(1) + group.clamp_min(0)).flatten();
  const torch::Tensor from = (rank_.index_select(0, segment) * longest + place_.flatten())
                                 .masked_fill(group.flatten().lt(0), x.size(0) * longest);
  return with_nothing(x.flatten(0, 1)).index_select(0, from).unflatten(0, group.sizes());
}

}  // namespace attend::model
