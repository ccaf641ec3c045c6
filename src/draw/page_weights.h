#pragma once
#include <string>

#include "align/attention_matrix.h"

namespace attend::draw {

/// Weights for a page, row by row, in a form that a browser reads with a few lines: each weight in
/// units of 0.00001, rounded to the nearest, as a base-128 number, least significant digit first,
/// the high bit set on all bytes but its last (LEB128); the bytes in base64 (RFC 4648, padded).
/// Attention is mostly near 0, where a weight takes one byte. Weights below 0 and NaN become 0,
/// those above 40,000 become 40,000.
[[nodiscard]] std::string pack_weights(const align::WeightTable& table);

}  // namespace attend::draw
