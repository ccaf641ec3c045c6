#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "decode/options.h"
#include "decode/scoring/row_scores.h"
#include "decode/scoring/token_draws.h"
#include "decode/search/search.h"
#include "decode/step/step_model.h"

namespace attend::decode {

/// A hypothesis alive at one target position.
struct Row {
  int64_t sentence = 0;
  int64_t parent = 0;                // its row at the position before
  text::TokenId token = text::kBos;  // the last one
  double log_prob = 0.0;             // of all tokens so far
  bool alive = true;                 // false: fills a place until the rows are packed again
};

/// A hypothesis that ended: kEos follows row `row` at position `step`.
struct Ending {
  int64_t step = 0;
  int64_t row = 0;
  double log_prob = 0.0;  // kEos included
  double score = 0.0;
  bool finished = true;  // false: kEos was forced at the length limit
};

/// The bookkeeping of a search, on the CPU: which hypotheses are alive at the current target
/// position, which ended, and which sentences are done. Rows of a sentence are neighbours, and
/// sentences keep their order.
///
/// A sentence has `beam` places, which the best continuations of all its hypotheses take, whether
/// they end or go on. One that ends keeps its place for good, so that the beam narrows by one. The
/// sentence is done when nothing goes on any more, and before that when the n best of what ended
/// cannot be overtaken. What a live hypothesis can still reach is bounded by its log-probability so
/// far, which only falls, divided by the length that favours it most (best_reachable()); coverage
/// penalties only take away. The most probable one bounds the others, so that asking it alone is
/// enough, and since the bound holds, stopping there changes nothing of the result. At the length
/// limit every live hypothesis is made to end, and says so (`finished`).
class Beams {
 public:
  /// Borrows both.
  Beams(std::span<const SearchSentence> sentences, const SearchOptions& options);

  [[nodiscard]] bool finished() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// The target position that is predicted next, from 0.
  [[nodiscard]] int64_t position() const { return position_; }
  /// Best first.
  [[nodiscard]] const std::vector<Ending>& endings(std::size_t sentence) const {
    return sentences_[sentence].endings;
  }

  /// Per row the token whose log-probability advance() needs whatever its rank: that of the prefix,
  /// else kEos.
  [[nodiscard]] std::vector<text::TokenId> wanted() const;
  /// Per row how many tokens to draw when sampling.
  [[nodiscard]] std::vector<Draws> draws();

  /// Moves one target position on: extends each sentence's hypotheses, collects those that end,
  /// retires sentences that are done. `penalties` holds a coverage penalty per row, or nothing.
  /// Afterwards rows()[i].parent is the old row.
  void advance(const RowScores& scores, std::span<const double> penalties);

  /// Whether the last advance() left every place to the sentence that had it.
  [[nodiscard]] bool same_sentences() const { return same_sentences_; }

 private:
  struct Sentence {
    int64_t limit = 0;  // most tokens before kEos
    std::span<const text::TokenId> prefix;
    Random random{0};
    std::vector<Ending> endings;
  };
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] std::vector<Range> row_ranges() const;
  [[nodiscard]] std::size_t alive_rows(Range range) const;
  [[nodiscard]] bool in_prefix(const Sentence& sentence) const;
  [[nodiscard]] std::size_t free_places(const Sentence& sentence) const;
  [[nodiscard]] std::vector<Row> expand(Range range, const RowScores& scores) const;
  [[noreturn]] void fail_to_go_on(const Sentence& sentence) const;
  [[nodiscard]] std::vector<Row> extend_sentence(Range range, const RowScores& scores,
                                                 std::span<const double> penalties);
  void close_sentence(Range range, const RowScores& scores, std::span<const double> penalties);
  void end(Sentence& sentence, Ending ending, std::span<const double> penalties) const;
  [[nodiscard]] bool settled(const Sentence& sentence, const std::vector<Row>& alive) const;
  void lay_out(const std::vector<Range>& old_ranges, const std::vector<std::vector<Row>>& next);

  const SearchOptions& options_;
  std::vector<Sentence> sentences_;
  std::vector<Row> rows_;
  int64_t position_ = 0;
  bool same_sentences_ = false;
};

}  // namespace attend::decode
