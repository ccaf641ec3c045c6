#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// What TER does to a line before it splits it at whitespace; the defaults are those of Tercom.
struct TerTokenization {
  bool normalized = false;     ///< entities to characters, punctuation and possessive 's apart
  bool no_punct = false;       ///< drop . , ? : ; ! " ( )
  bool asian_support = false;  ///< with normalized: ideographs one by one; with no_punct: drop CJK
                               ///< and full-width punctuation too
  bool case_sensitive = false;
};

/// The tokenization of Tercom (Snover et al. 2006) as sacreBLEU 2.x does it.
[[nodiscard]] std::string tokenize_ter(std::string_view line, const TerTokenization& options);

}  // namespace attend::metrics
