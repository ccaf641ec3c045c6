#pragma once
#include <cstdint>

namespace attend::text {

/// Number of a piece in the model's vocabulary. The four special symbols have the same ids in every
/// vocabulary, whatever ids an existing SentencePiece model gives them; its other pieces follow in
/// its own order.
using TokenId = int32_t;

inline constexpr TokenId kPad =
    0;  ///< fills short rows of a batch; never scored, never attended to
inline constexpr TokenId kUnk = 1;  ///< a piece outside the vocabulary
inline constexpr TokenId kBos = 2;  ///< what the decoder reads before the first word
inline constexpr TokenId kEos = 3;  ///< ends every source and target sentence
inline constexpr TokenId kSpecialSymbols = 4;

}  // namespace attend::text
