#pragma once
#include <cstdint>
#include <vector>

#include "server/api/translate_request.h"

namespace attend::server {

/// The memory that the answer to one request may take.
inline constexpr int64_t kMostAnswerBytes = int64_t{384} << 20;

/// Throws ApiError if the answer could take more than kMostAnswerBytes, assuming hypotheses of
/// maximum length. Call it before the search.
void check_answer_size(const TranslateRequest& request, const std::vector<app::SourceLine>& lines);

/// Throws ApiError if a matrix of this size would take more than kMostAnswerBytes.
void check_matrix_size(int64_t rows, int64_t columns);

}  // namespace attend::server
