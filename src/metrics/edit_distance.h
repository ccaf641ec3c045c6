#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attend::metrics {

/// The alignment of a hypothesis with a reference.
struct WordAlignment {
  /// For each reference word, the index of the hypothesis word aligned with it. A word missing from
  /// the hypothesis gets the index of the hypothesis word before the gap, or -1 at the start.
  std::vector<int64_t> position;
  std::vector<bool> reference_error;   ///< missing or replaced
  std::vector<bool> hypothesis_error;  ///< superfluous or replaced
};

/// Levenshtein distance of hypotheses of one length to one reference. As in sacreBLEU's TER (2.x),
/// computes only a band around the diagonal of slope reference length / hypothesis length: 25 words
/// to each side, and more if the reference is over 50 times as long as the hypothesis.
class BandedEditDistance {
 public:
  /// Words are given as numbers. The reference must outlive this object.
  BandedEditDistance(std::span<const uint32_t> reference, std::size_t hypothesis_length);

  /// Makes `hypothesis` the base of the functions below and returns its distance to the reference.
  /// Requires: `hypothesis` has the length given to the constructor.
  int64_t set_base(std::span<const uint32_t> hypothesis);

  /// A cheapest alignment of the base (see set_base()) with the reference. Ties are broken from the
  /// end backwards: keeping or replacing a word comes first, then dropping one, then adding one.
  [[nodiscard]] WordAlignment align() const;

  /// Returns the distance of `hypothesis` to the reference, or nothing if it is above `limit`.
  /// Requires: the first `same` words of `hypothesis` and of the base (see set_base()) are equal.
  [[nodiscard]] std::optional<int64_t> distance_within(std::span<const uint32_t> hypothesis,
                                                       std::size_t same, int64_t limit);

 private:
  // The part of a matrix row that lies inside the band: columns begin .. end-1.
  struct Row {
    int64_t begin = 0;
    int64_t end = 0;
    std::size_t offset = 0;  // of the row's first cost in a Matrix
  };
  using Matrix = std::vector<int32_t>;

  void lay_out(std::size_t hypothesis_length);
  [[nodiscard]] int32_t cost(const Matrix& matrix, std::size_t row, int64_t column) const;
  // Computes row `row` (1, 2, ...) of `matrix` from the previous row, which `above` holds. Returns
  // a lower bound of the distance.
  int64_t fill_row(std::size_t row, uint32_t word, const Matrix& above, Matrix& matrix) const;
  [[nodiscard]] int64_t total(const Matrix& matrix) const { return matrix.back(); }

  std::span<const uint32_t> reference_;
  std::vector<Row> rows_;  // one per prefix of the hypothesis, starting with the empty one
  std::vector<uint32_t> base_words_;
  Matrix base_;
  Matrix other_;
};

}  // namespace attend::metrics
