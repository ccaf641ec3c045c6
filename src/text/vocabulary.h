#pragma once
#include <cstdint>

namespace attend::text {

/// Id of a piece in the model's vocabulary. The four special symbols have fixed ids, whatever ids
/// the SentencePiece model gives them; the other pieces follow in the model's order.
using TokenId = int32_t;

inline constexpr TokenId kPad = 0;  ///< padding of a batch; never scored or attended to
inline constexpr TokenId kUnk = 1;  ///< a piece outside the vocabulary
inline constexpr TokenId kBos = 2;  ///< the decoder's first input
inline constexpr TokenId kEos = 3;  ///< ends every source and target sentence
inline constexpr TokenId kSpecialSymbols = 4;

}  // namespace attend::text
