#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::draw {

/// Packs weights, row by row, into a string that a browser decodes in a few lines. Each weight is
/// rounded to a multiple of 0.00001 and that multiple written as LEB128: base 128, least
/// significant digit first, the high bit set on all bytes but the last. The bytes are in base64
/// (RFC 4648, padded). Weights near 0, which are the most frequent, take one byte. Negative weights
/// and NaN become 0; weights above 40,000 become 40,000.
[[nodiscard]] std::string pack_weights(const align::WeightTable& table);

}  // namespace attend::draw
