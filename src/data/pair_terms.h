#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/links.h"
#include "data/options.h"

namespace attend::data {

/// A source whose terms are marked.
struct MarkedSource {
  std::string text;
  std::vector<int64_t> words;  ///< the place, in `text`, of each word of the source
};

/// Marks terms and their translations in the sources of training pairs (data.terms).
class PairTerms {
 public:
  explicit PairTerms(const TermOptions& options) : share_(options.empty() ? 0.0 : options.share) {}

  /// True if terms are marked in the pair of line `line`, counted over all texts. Drawn with the
  /// probability options.share, whatever the run's seed, so that a token cache can be reused.
  [[nodiscard]] bool has(int64_t line) const;

  /// Marks up to three terms, drawn from the words that have a link to only each other and have
  /// letters; neighbours on both sides may become one term of up to three words. The translation
  /// is that of the target, without the marks beside it. Placeholders are never part of a term.
  /// Requires: the links lie inside the pair.
  [[nodiscard]] MarkedSource marked(std::string_view source, std::string_view target,
                                    const align::Links& links, int64_t line) const;

 private:
  double share_;  // 0: no terms
};

/// The links of a source, in a source whose terms are marked.
[[nodiscard]] align::Links in_marked(const align::Links& links, const MarkedSource& source);

}  // namespace attend::data
