#pragma once
#include <torch/types.h>

#include "data/batch.h"
#include "nn/indexed_rows.h"

namespace attend::model {

/// The pieces by which segments of a line are told.
struct SegmentMarks {
  text::TokenId separator = -1;  // stands between segments
  text::TokenId blank = -1;      // a blank by itself, which is no word; negative: there is none
};

/// Where the segments of a batch stand. A segment is its words and what ends it, a separator or the
/// end of the line. A segment without words is missing and as if it had never been, but for a
/// line's last one, which is always there. P counts the segments of all lines, one after the other.
class SegmentLayout {
 public:
  SegmentLayout(const data::SentenceBatch& source, const SegmentMarks& marks);

  torch::Tensor columns;  // [B, G, L] int64: the positions of each segment, S where there are no
                          // more
  torch::Tensor group;    // [B, S] int64: the segment of each position, from 0; -1: none
  torch::Tensor counts;   // [B] int64: segments of each line
  torch::Tensor there;    // [B, G] bool: below the count
  torch::Tensor lengths;  // [P] int64: positions of each segment
  torch::Tensor owner;    // [P] int64: the line of each
  torch::Tensor mask;     // [P, L] bool: below the length

  /// x [B, S, *] by segment, [P, L, *]. What is beyond a segment's end means nothing.
  [[nodiscard]] nn::IndexedRows by_segment(const nn::IndexedRows& x) const;
  /// x [P, C] by line, [B, G, C], zero where there is no segment.
  [[nodiscard]] torch::Tensor by_line(const torch::Tensor& x) const;
  /// x [B, G, C] -> [P, C].
  [[nodiscard]] torch::Tensor of_segments(const torch::Tensor& x) const;
  /// x [P, L, C] by position, [B, S, C], zero where there is no segment.
  [[nodiscard]] torch::Tensor by_position(const torch::Tensor& x) const;

 private:
  torch::Tensor place_;    // [B, S] int64: of a position in its segment, from 0
  torch::Tensor present_;  // [P] int64: where each segment is among [B * G]
  torch::Tensor rank_;     // [B * G] int64: which of P is there; P: none
};

}  // namespace attend::model
