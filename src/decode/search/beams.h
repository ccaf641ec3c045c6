#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "decode/options.h"
#include "decode/scoring/required_phrases.h"
#include "decode/scoring/row_scores.h"
#include "decode/scoring/token_draws.h"
#include "decode/search/search.h"
#include "decode/step/step_model.h"

namespace attend::decode {

/// A row of the batch at one target position: a hypothesis.
struct Row {
  int64_t sentence = 0;
  int64_t parent = 0;                // its row at the previous position
  text::TokenId token = text::kBos;  // the last one
  double log_prob = 0.0;             // of all tokens so far; nats
  bool alive = true;                 // false: a placeholder until the rows are packed again
  int32_t progress = PhraseAutomaton::kStart;  // state of the required phrases, if there are any
};

/// True if `a` ranks before `b` in the beam.
[[nodiscard]] bool more_probable(const Row& a, const Row& b);

/// An ended hypothesis: kEos follows row `row` at position `step`.
struct Ending {
  int64_t step = 0;
  int64_t row = 0;
  double log_prob = 0.0;  // kEos included
  double score = 0.0;
  bool finished = true;  // false: kEos was forced at the length limit
};

/// The state of a search on the CPU: the hypotheses alive at the current target position, the ended
/// hypotheses, and the finished sentences. Rows of a sentence are neighbours, and sentences keep
/// their order.
///
/// A sentence has `beam` places for the best continuations of all its hypotheses, ended or not. An
/// ended hypothesis keeps its place, so the beam narrows by one. A sentence is finished when no
/// hypothesis is alive, or when no hypothesis alive can overtake the n best ended ones. The bound
/// for a hypothesis is its log-probability so far, which only falls, divided by the most favourable
/// length (best_reachable()); coverage penalties only lower scores. The most probable hypothesis
/// has the highest bound, so only that one is checked, and stopping early never changes the result.
/// At the length limit kEos is forced on every live hypothesis, which is marked as not `finished`.
///
/// If a sentence has required phrases, its hypotheses end only when they contain them, and its
/// places are shared by share_places().
class Beams {
 public:
  /// Borrows both.
  Beams(std::span<const SearchSentence> sentences, const SearchOptions& options);

  [[nodiscard]] bool finished() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// The target position to predict next, from 0.
  [[nodiscard]] int64_t position() const { return position_; }
  /// Best first.
  [[nodiscard]] const std::vector<Ending>& endings(std::size_t sentence) const {
    return sentences_[sentence].endings;
  }

  /// For each row the token whose log-probability advance() always needs: the next token of the
  /// prefix, or kEos after the prefix.
  [[nodiscard]] std::vector<text::TokenId> wanted() const;
  /// For each row the tokens whose scores advance() needs in RowScores::extra, whatever their rank:
  /// those that advance a required phrase, and kEos if none is missing. Empty if no sentence has
  /// required phrases.
  [[nodiscard]] std::vector<std::vector<text::TokenId>> advancing() const;
  /// For each row the number of tokens to draw when sampling.
  [[nodiscard]] std::vector<Draws> draws();

  /// Advances by one target position: extends each sentence's hypotheses, collects those that end,
  /// and removes finished sentences. `penalties` holds a coverage penalty per row, or is empty.
  /// Afterwards rows()[i].parent is the row that row i continues.
  void advance(const RowScores& scores, std::span<const double> penalties);

  /// True if the last advance() kept the number of rows and the sentence of each row.
  [[nodiscard]] bool same_sentences() const { return same_sentences_; }

 private:
  struct Sentence {
    int64_t limit = 0;  // maximum number of tokens before kEos
    std::span<const text::TokenId> prefix;
    Random random{0};
    std::optional<PhraseAutomaton> required;
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
  [[nodiscard]] std::vector<Row> continuations(Range range, const RowScores& scores) const;
  [[nodiscard]] std::vector<Row> expand(Range range, const RowScores& scores);
  [[nodiscard]] std::vector<Row> share(Sentence& sentence,
                                       const std::vector<Row>& candidates) const;
  [[noreturn]] void fail_to_go_on(const Sentence& sentence) const;
  [[noreturn]] void fail_to_end(const Sentence& sentence) const;
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
