#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "decode/search/beams.h"
#include "decode/search/hypothesis.h"
#include "decode/step/step_model.h"

namespace attend::decode {

/// A row at a target position.
struct TracePoint {
  int64_t step = 0;
  int64_t row = 0;
};

/// Keeps the rows of every target position so far, with their attention. Hypotheses are read
/// backwards along their parents, so reordering rows copies nothing.
class Trace {
 public:
  explicit Trace(bool keep_attention) : keep_attention_(keep_attention) {}

  /// Adds a position: its rows and the model's scores for them.
  void record(const std::vector<Row>& rows, const StepScores& scores);
  /// Call once, after the last position.
  void move_to_cpu();

  /// The tokens of the hypothesis at `point`, up to its position.
  [[nodiscard]] std::vector<text::TokenId> tokens(const TracePoint& point) const;
  /// The hypothesis that ends at `ending`. Its attention has `source_length` columns.
  [[nodiscard]] Hypothesis hypothesis(const Ending& ending, int64_t source_length) const;

 private:
  struct Position {
    std::vector<Row> rows;
    torch::Tensor weights;  // [N, S]
    torch::Tensor heads;    // [N, heads, S]
  };

  [[nodiscard]] std::vector<int64_t> path(const TracePoint& point) const;
  [[nodiscard]] std::vector<double> token_log_probs(std::span<const int64_t> rows,
                                                    double last) const;

  bool keep_attention_;
  std::vector<Position> positions_;
};

}  // namespace attend::decode
