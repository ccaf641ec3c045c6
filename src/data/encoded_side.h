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

}  // namespace attend::data
