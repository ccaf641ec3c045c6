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
/// Text of another language, script or subject surprises it more than its own, in nats per
/// character; so it tells languages apart, also between texts with different tokenizers. An unknown
/// character has the probability of a piece that never occurs, divided by the size of the
/// vocabulary.
class KnownText {
 public:
  /// Requires: a count for each piece of `tokenizer`, none negative.
  KnownText(std::shared_ptr<const Tokenizer> tokenizer, const PieceCounts& counts);

  /// The surprise of the beginning of a line: whole if it has up to 64 KiB, otherwise at least 500
  /// pieces.
  [[nodiscard]] Surprise surprise(std::string_view line) const;
  /// Nats per character of the text itself; 0 if it has no characters.
  [[nodiscard]] double usual() const { return usual_; }
  /// True for text that surprises at most twice as much as usual. Of other texts in the language
  /// and on the subject, 2 lines in 1,000 are beyond that (English captions).
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
