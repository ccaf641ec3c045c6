#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "decode/search/beam_tree.h"
#include "server/api/translate_request.h"

namespace attend::server {

/// The answer to `POST /v1/translate`. `translations` holds the translations of each line, best
/// first; `tree` may be null.
[[nodiscard]] nlohmann::json translate_answer(
    const TranslateRequest& request, const std::vector<app::SourceLine>& lines,
    const std::vector<std::vector<app::Translation>>& translations, const decode::BeamTree* tree);

/// A sentence of a document with its best translation.
[[nodiscard]] nlohmann::json sentence_json(const SentenceOfText& sentence,
                                           const TranslatedSentences& all);

/// The pieces of a line and the end symbol.
[[nodiscard]] nlohmann::json pieces_json(const app::TokenizedLine& line);

/// A matrix as {"source": [...], "target": [...], "weights": [[...]], "heads": ...}.
[[nodiscard]] nlohmann::json matrix_json(const align::AttentionMatrix& matrix);

}  // namespace attend::server
