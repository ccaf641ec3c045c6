#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// Options of TER's tokenization; the defaults are Tercom's.
struct TerTokenization {
  bool normalized = false;     ///< unescape entities, split off punctuation and possessive 's
  bool no_punct = false;       ///< drop . , ? : ; ! " ( )
  bool asian_support = false;  ///< with normalized: split ideographs; with no_punct: also drop CJK
                               ///< and full-width punctuation
  bool case_sensitive = false;
};

/// The tokenization of Tercom (Snover et al. 2006) as in sacreBLEU 2.x; TER splits the result at
/// whitespace.
[[nodiscard]] std::string tokenize_ter(std::string_view line, const TerTokenization& options);

}  // namespace attend::metrics
