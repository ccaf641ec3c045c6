#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/attention_goals.h"
#include "text/tokenizer.h"

namespace attend::data {

/// Lines of one side in pieces.
struct EncodedSide {
  std::vector<std::vector<text::TokenId>> ids;
  std::vector<PieceWords> words;  ///< as long as `ids`, or empty if they were not asked for
};

/// Of a very long line only as many pieces as tell that they are more than `max_length`.
[[nodiscard]] EncodedSide encode_side(const text::Tokenizer& tokenizer,
                                      const std::vector<std::string>& lines, bool with_words,
                                      int64_t max_length);

/// How subwords are sampled (Tokenizer::encode_sampled).
struct SubwordSampling {
  double alpha = 0.0;
  uint64_t seed = 1;
  int64_t max_length = 0;  ///< a line that becomes longer keeps its usual pieces
};

/// The same ids with and without words.
[[nodiscard]] EncodedSide sample_side(const text::Tokenizer& tokenizer,
                                      const std::vector<std::string>& lines, bool with_words,
                                      const SubwordSampling& sampling);

}  // namespace attend::data
