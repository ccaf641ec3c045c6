#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/attention_goals.h"
#include "text/tokenizer.h"

namespace attend::data {

/// The lines of one side as pieces.
struct EncodedSide {
  std::vector<std::vector<text::TokenId>> ids;
  std::vector<PieceWords> words;  ///< as long as `ids`; empty if not requested
};

/// Encodes `lines`. A very long line is encoded only far enough to show that it has more than
/// `max_length` pieces.
[[nodiscard]] EncodedSide encode_side(const text::Tokenizer& tokenizer,
                                      const std::vector<std::string>& lines, bool with_words,
                                      int64_t max_length);

}  // namespace attend::data
