#pragma once
#include <cstdint>
#include <vector>

#include "server/api/translate_request.h"

namespace attend::server {

/// The memory that the answer to one request may take.
inline constexpr int64_t kMostAnswerBytes = int64_t{384} << 20;

/// Throws ApiError if the answer could take more, if all hypotheses were as long as they may be.
/// Call it before the search.
void check_answer_size(const TranslateRequest& request, const std::vector<app::SourceLine>& lines);

/// Throws ApiError if a matrix of that size would take more.
void check_matrix_size(int64_t rows, int64_t columns);

}  // namespace attend::server
