#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/search/served_model.h"

namespace attend::server {

/// A language that a text may be written in.
struct DetectedLanguage {
  std::string code;
  double confidence = 0.0;  ///< 0 .. 100; all languages together have 100
};

/// The languages of the served models, the likeliest for `text` first: the one whose training text
/// gives it the lowest surprise (text::KnownText). Empty if the text is like none of them, or if no
/// model knows its training text and languages. Judges by the beginning of the text.
[[nodiscard]] std::vector<DetectedLanguage> detect_languages(const ServedModels& models,
                                                             std::string_view text);

}  // namespace attend::server
