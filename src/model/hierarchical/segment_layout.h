#pragma once
#include <torch/types.h>

#include "data/batch.h"
#include "nn/indexed_rows.h"

namespace attend::model {

/// The pieces that delimit the segments of a line.
struct SegmentMarks {
  text::TokenId separator = -1;  // the piece between segments
  text::TokenId blank = -1;      // a lone blank, which is not a word; negative: none
};

/// Layout of the segments of a batch. A segment consists of its words and its end: a separator or
/// the end of the line. Segments without words are skipped, except for the last one of a line,
/// which always exists. P counts the segments of all lines, one after another.
class SegmentLayout {
 public:
  SegmentLayout(const data::SentenceBatch& source, const SegmentMarks& marks);

  torch::Tensor columns;  // [B, G, L] int64: the positions of each segment, padded with S
  torch::Tensor group;    // [B, S] int64: the segment of each position, from 0; -1: none
  torch::Tensor counts;   // [B] int64: segments of each line
  torch::Tensor present;  // [B, G] bool: true below the count
  torch::Tensor lengths;  // [P] int64: positions of each segment
  torch::Tensor owner;    // [P] int64: the line of each segment
  torch::Tensor mask;     // [P, L] bool: true below the length

  /// Arranges x [B, S, *] by segment: [P, L, *]. Values beyond a segment's end are meaningless.
  [[nodiscard]] nn::IndexedRows by_segment(const nn::IndexedRows& x) const;
  /// Arranges x [P, C] by line: [B, G, C], zero where there is no segment.
  [[nodiscard]] torch::Tensor by_line(const torch::Tensor& x) const;
  /// x [B, G, C] -> [P, C].
  [[nodiscard]] torch::Tensor of_segments(const torch::Tensor& x) const;
  /// Arranges x [P, L, C] by position: [B, S, C], zero where there is no segment.
  [[nodiscard]] torch::Tensor by_position(const torch::Tensor& x) const;

 private:
  torch::Tensor place_;          // [B, S] int64: the index of each position in its segment
  torch::Tensor segment_index_;  // [P] int64: the index of each segment in [B * G]
  torch::Tensor rank_;           // [B * G] int64: the index in P, or P where there is no segment
};

}  // namespace attend::model
