#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/statistical/gibbs_sampler.h"
#include "app/align/link_priors.h"
#include "data/options.h"
#include "data/pair_reader.h"

namespace attend::app {

/// The first `letters` characters of a word; the whole word if `letters` is 0.
[[nodiscard]] std::string_view stem(std::string_view word, int64_t letters);

/// A text for statistical alignment.
struct NumberedText {
  /// A pair with more words on one side is not aligned.
  static constexpr int64_t kMostWords = 1000;

  std::vector<data::LinePair> lines;
  /// One per number of letters. Pairs with an empty or too long side have no words.
  std::vector<align::NumberedCorpus> readings;
};

/// Reads sentence pairs and numbers their words in lower case, once for each entry of `stems`: the
/// number of letters that words are cut to (0: whole words). Warns of pairs that are too long.
/// Throws DataError if a file cannot be read or if the files differ in line count, and what
/// check_words() throws. `known`: links of other text, which all readings get.
[[nodiscard]] NumberedText read_numbered_text(const data::PairFiles& files,
                                              const std::vector<int64_t>& stems,
                                              const std::vector<WordLinkCount>& known = {});

}  // namespace attend::app
