#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attend::metrics {

/// How the words of a hypothesis lie on those of a reference.
struct WordAlignment {
  /// For each reference word the hypothesis word that it stands on; a missing word has that of the
  /// word before it, and -1 at the start.
  std::vector<int64_t> position;
  std::vector<bool> reference_error;   ///< missing or replaced
  std::vector<bool> hypothesis_error;  ///< superfluous or replaced
};

/// Levenshtein distance of hypotheses of one length to one reference, over a band around the
/// diagonal (of slope reference length / hypothesis length) as sacreBLEU 2.x has it for TER: 25
/// words to each side, more where the reference is more than 50 times as long.
class BandedEditDistance {
 public:
  /// Words are numbers; the reference must outlive this object.
  BandedEditDistance(std::span<const uint32_t> reference, std::size_t hypothesis_length);

  /// The distance of `hypothesis`, which becomes the base of the other functions.
  /// Requires: it has the length given to the constructor.
  int64_t set_base(std::span<const uint32_t> hypothesis);

  /// A cheapest way from the base to the reference; of equally cheap ones, looked at from the end,
  /// keeping or replacing a word comes before dropping one, and that before adding one.
  [[nodiscard]] WordAlignment align() const;

  /// The distance of a hypothesis whose first `same` words are those of the base, or nothing if it
  /// is above `limit`.
  [[nodiscard]] std::optional<int64_t> distance_within(std::span<const uint32_t> hypothesis,
                                                       std::size_t same, int64_t limit);

 private:
  // The part of one row of the matrix that the band covers: costs of columns begin .. end-1.
  struct Row {
    int64_t begin = 0;
    int64_t end = 0;
    std::size_t offset = 0;  // of the first cost in a Matrix
  };
  using Matrix = std::vector<int32_t>;

  void lay_out(std::size_t hypothesis_length);
  [[nodiscard]] int32_t cost(const Matrix& matrix, std::size_t row, int64_t column) const;
  // Computes row `row` (1, 2, ...) from the one above it in `above`; returns a lower bound of the
  // distance.
  int64_t fill_row(std::size_t row, uint32_t word, const Matrix& above, Matrix& matrix) const;
  [[nodiscard]] int64_t total(const Matrix& matrix) const { return matrix.back(); }

  std::span<const uint32_t> reference_;
  std::vector<Row> rows_;  // one for every prefix of the hypothesis, the empty one first
  std::vector<uint32_t> base_words_;
  Matrix base_;
  Matrix other_;
};

}  // namespace attend::metrics
