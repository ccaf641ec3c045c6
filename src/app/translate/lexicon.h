#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace attend::app {

struct LexiconRequest {
  std::string model;   ///< model folder, for its tokenizers and data.max_length
  std::string source;  ///< as for SourceFile
  std::string target;
  std::filesystem::path output;  ///< "-": standard output
};

/// Counts for the log.
struct LexiconCount {
  int64_t pairs = 0;     ///< used
  int64_t left_out = 0;  ///< skipped: a side is empty or longer than data.max_length
  int64_t entries = 0;   ///< lines written
};

/// Learns p(target piece | source piece) (align::learn_lexicon()) and writes the table for
/// decode::read_shortlist(). Throws like load_model(), DataError for texts that cannot be read,
/// differ in length or have no usable pair, and Stopped after a signal.
[[nodiscard]] LexiconCount make_lexicon(const LexiconRequest& request);

}  // namespace attend::app
