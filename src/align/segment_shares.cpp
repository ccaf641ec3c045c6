#include "align/segment_shares.h"

#include <algorithm>

namespace attend::align {
namespace {

bool is_separator(const std::string& token, const std::string& separator) {
  return token == separator || token == "\u2581" + separator;
}

}  // namespace

WeightTable segment_shares(const AttentionMatrix& matrix, const std::string& separator) {
  const auto last = matrix.source.end() - (matrix.source_end ? 1 : 0);
  const auto ends = std::count_if(matrix.source.begin(), last, [&](const std::string& token) {
    return is_separator(token, separator);
  });
  WeightTable shares(matrix.target.size(), static_cast<std::size_t>(ends) + 1);
  std::size_t segment = 0;
  for (std::size_t s = 0; s < matrix.source.size(); ++s) {
    for (std::size_t t = 0; t < matrix.target.size(); ++t) {
      shares(t, segment) += matrix.weights(t, s);
    }
    if (s + 1 < matrix.source.size() && is_separator(matrix.source[s], separator)) ++segment;
  }
  return shares;
}

}  // namespace attend::align
