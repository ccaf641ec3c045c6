#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "align/attention_json.h"
#include "server/search/served_model.h"

namespace attend::server {

class Fields;

/// What `POST /v1/translate` asks for.
struct TranslateRequest {
  const ServedModel* model = nullptr;
  std::vector<std::string> texts;  ///< one for each translation, without line feeds
  decode::SearchOptions options;
  std::string prefix;                           ///< text that each translation begins with
  std::vector<std::string> prefix_pieces;       ///< the same by pieces
  std::vector<std::string> forbidden;           ///< words that no translation contains
  std::map<int64_t, int64_t> forced_attention;  ///< as in decode::SearchSentence
  std::map<int64_t, text::TokenId> pins;        ///< pieces that stand at target positions
  std::optional<align::Level> attention;        ///< unset: none
  decode::AttentionKinds kinds;                 ///< of which every layer and head is wanted
  int64_t alternatives = 0;                     ///< most probable pieces by position; 0: none
  bool tree = false;                            ///< whether the beam is wanted
  bool stream = false;                          ///< whether steps are told while it searches
};

/// `seed`: of samples, where the request tells none. Throws ApiError for what the model cannot do
/// and what does not fit together.
[[nodiscard]] TranslateRequest parse_translate_request(const nlohmann::json& body,
                                                       const ServedModels& models, uint64_t seed);

/// The texts in the field "q", spaces in place of their line feeds.
[[nodiscard]] std::vector<std::string> texts_to_translate(Fields& fields);

/// Throws ApiError for more texts, or hypotheses of them, than one request may have.
void check_amount(const std::vector<std::string>& texts, int64_t hypotheses);

/// The lines of a request as the model reads them.
[[nodiscard]] std::vector<app::SourceLine> source_lines(const TranslateRequest& request);

}  // namespace attend::server
