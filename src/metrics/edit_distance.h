#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attend::metrics {

/// The alignment of a hypothesis with a reference.
struct WordAlignment {
  /// For each reference word, the index of its hypothesis word. A missing word has the index of the
  /// previous reference word, or -1 at the start.
  std::vector<int64_t> position;
  std::vector<bool> reference_error;   ///< missing or replaced
  std::vector<bool> hypothesis_error;  ///< superfluous or replaced
};

/// Levenshtein distance of hypotheses of one length to one reference. As in sacreBLEU's TER (2.x),
/// computes only a band around the diagonal of slope reference length / hypothesis length: 25 words
/// to each side, and more if the reference is over 50 times as long.
class BandedEditDistance {
 public:
  /// Words are given as numbers. The reference must outlive this object.
  BandedEditDistance(std::span<const uint32_t> reference, std::size_t hypothesis_length);

  /// The distance of `hypothesis`, which becomes the base of the functions below.
  /// Requires: it has the length given to the constructor.
  int64_t set_base(std::span<const uint32_t> hypothesis);

  /// A cheapest alignment of the base with the reference. Among equally cheap ones, going back from
  /// the end prefers keeping or replacing a word, then dropping one, then adding one.
  [[nodiscard]] WordAlignment align() const;

  /// The distance of a hypothesis that shares its first `same` words with the base; nothing if it
  /// is above `limit`.
  [[nodiscard]] std::optional<int64_t> distance_within(std::span<const uint32_t> hypothesis,
                                                       std::size_t same, int64_t limit);

 private:
  // The columns of one row of the matrix that the band covers: begin .. end-1.
  struct Row {
    int64_t begin = 0;
    int64_t end = 0;
    std::size_t offset = 0;  // of the row's first cost in a Matrix
  };
  using Matrix = std::vector<int32_t>;

  void lay_out(std::size_t hypothesis_length);
  [[nodiscard]] int32_t cost(const Matrix& matrix, std::size_t row, int64_t column) const;
  // Computes row `row` (1, 2, ...) from the row before it in `above`. Returns a lower bound of the
  // distance.
  int64_t fill_row(std::size_t row, uint32_t word, const Matrix& above, Matrix& matrix) const;
  [[nodiscard]] int64_t total(const Matrix& matrix) const { return matrix.back(); }

  std::span<const uint32_t> reference_;
  std::vector<Row> rows_;  // one per prefix of the hypothesis, starting with the empty one
  std::vector<uint32_t> base_words_;
  Matrix base_;
  Matrix other_;
};

}  // namespace attend::metrics
