#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "align/attention_json.h"
#include "app/document/markup_cutter.h"
#include "server/api/document_text.h"
#include "server/api/required_terms.h"
#include "server/search/served_model.h"

namespace attend::server {

class Fields;

/// A request `POST /v1/translate`.
struct TranslateRequest {
  const ServedModel* model = nullptr;
  std::vector<std::string> texts;  ///< texts to translate, without line feeds
  decode::SearchOptions options;
  std::string prefix;                      ///< text that each translation begins with
  std::vector<std::string> prefix_pieces;  ///< the prefix as pieces
  std::vector<std::string> forbidden;      ///< words that no translation may contain
  RequiredTerms required;
  std::map<int64_t, int64_t> forced_attention;  ///< target position to source piece
  std::map<int64_t, text::TokenId> pins;        ///< target position to pinned piece
  std::optional<align::Level> attention;        ///< unset: none
  decode::AttentionKinds kinds;                 ///< kinds of attention to return by layer and head
  int64_t alternatives = 0;                     ///< most probable pieces per position
  std::optional<app::MarkupChoice> markup;      ///< of the texts; unset: plain text
  bool document = false;                        ///< cut the texts into sentences
  std::vector<DocumentText> documents;          ///< if cut; `texts` then holds the sentences
  std::optional<app::LinkChoice> copy_unknown;  ///< copy unknown pieces by these links
  bool tree = false;                            ///< return the beam
  bool stream = false;                          ///< stream the steps of the search
};

/// `seed`: for sampling requests without a seed. Throws ApiError for fields that the model does not
/// support or that contradict each other, UsageError if they need attention that it lacks.
[[nodiscard]] TranslateRequest parse_translate_request(const nlohmann::json& body,
                                                       const ServedModels& models, uint64_t seed);

/// The texts of the field "q", with line feeds replaced by spaces.
[[nodiscard]] std::vector<std::string> texts_to_translate(Fields& fields);

/// Texts or sentences of a request.
inline constexpr int64_t kMostTexts = 1000;

/// The markup of texts for a model. Throws UsageError, naming `field`, for a model without
/// attention and for one of several sources.
[[nodiscard]] app::MarkupChoice markup_choice(text::Markup markup, const app::LoadedModel& model,
                                              const std::string& field);

/// Throws ApiError if one request has too many texts (or sentences, if texts are translated as
/// documents), or too many hypotheses in total.
void check_amount(const std::vector<std::string>& texts, int64_t hypotheses);

/// The tokenized lines of a request.
[[nodiscard]] std::vector<app::SourceLine> source_lines(const TranslateRequest& request);

}  // namespace attend::server
