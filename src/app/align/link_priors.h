#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "align/attention_matrix.h"
#include "align/links.h"
#include "core/file.h"

namespace attend::app {

/// How often two words were linked in a text.
struct WordLinkCount {
  std::string source;
  std::string target;
  int32_t count = 0;
};

/// Reads a file of WordLinkCounts: lines SOURCE<tab>TARGET<tab>COUNT, with words in lower case.
/// Throws DataError, with the line, for anything else.
[[nodiscard]] std::vector<WordLinkCount> read_link_priors(const std::filesystem::path& file);

/// Counts the linked words of a text, in lower case, and writes them as read_link_priors() reads
/// them. Memory grows with the different pairs of linked words.
class LinkPriors {
 public:
  void add(const align::AttentionMatrix& words, const align::Links& links);
  /// Writes the counts by source word, largest count first, and commits the file.
  void write(OutputFile& file) const;

 private:
  std::map<std::string, std::map<std::string, int32_t>> counts_;  // [source][target]
};

}  // namespace attend::app
