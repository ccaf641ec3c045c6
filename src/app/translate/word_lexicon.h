#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace attend::app {

struct WordLexiconRequest {
  std::string links;   ///< Pharaoh links between the words of each pair
  std::string source;  ///< text
  std::string target;
  std::filesystem::path output;  ///< "-": standard output
};

/// Counts for the log.
struct WordLexiconCount {
  int64_t pairs = 0;    ///< read
  int64_t entries = 0;  ///< lines written
};

/// Writes lines "TARGET SOURCE P", by source word, most probable first: P is the share of the links
/// of the source word that lead to the target word, at least 0.001. Words are what blanks separate.
/// Throws DataError for files that cannot be read, differ in length or have no link, and for wrong
/// links; Stopped after a signal.
[[nodiscard]] WordLexiconCount make_word_lexicon(const WordLexiconRequest& request);

}  // namespace attend::app
