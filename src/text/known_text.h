#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace attend::text {

/// How often each piece occurs in a text, by id. Special symbols are not counted, except kUnk.
using PieceCounts = std::vector<int64_t>;

/// -log p of a text, in nats.
struct Surprise {
  double nats = 0.0;
  int64_t characters = 0;  ///< without blanks

  [[nodiscard]] double per_character() const {
    return characters == 0 ? 0.0 : nats / static_cast<double>(characters);
  }
};

/// A text as a unigram model of its pieces: p(piece) = (count + 1/2) / (pieces + vocabulary / 2).
/// Text of another language, script or subject has more surprise per character than similar text.
/// So nats per character tell languages apart, even if the texts have different tokenizers. An
/// unknown character has the probability of a piece that never occurs, divided by the size of the
/// vocabulary.
class KnownText {
 public:
  /// Requires: a count for each piece of `tokenizer`, none negative.
  KnownText(std::shared_ptr<const Tokenizer> tokenizer, const PieceCounts& counts);

  /// The surprise of a line; if it is longer than 64 KiB, of at least its first 500 pieces.
  [[nodiscard]] Surprise surprise(std::string_view line) const;
  /// Nats per character of the text itself; 0 if it has no characters.
  [[nodiscard]] double usual() const { return usual_; }
  /// True for text with at most twice the usual surprise. If the text is English captions, 2 of
  /// 1,000 other English captions exceed that.
  [[nodiscard]] bool resembles(const Surprise& surprise) const {
    constexpr double kMost = 2.0;
    return surprise.per_character() <= kMost * usual_;
  }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<double> nats_;         // by piece
  std::vector<int64_t> characters_;  // by piece
  double usual_ = 0.0;
};

}  // namespace attend::text
