#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace attend::app {

struct LexiconRequest {
  std::string model;   ///< its folder: the tokenizers are read, and with them the limit of pieces
  std::string source;  ///< a text as `translate` takes it
  std::string target;
  std::filesystem::path output;  ///< "-": standard output
};

/// What was done, for the log.
struct LexiconCount {
  int64_t pairs = 0;     ///< that were learnt from
  int64_t left_out = 0;  ///< with a side that is empty or longer than data.max_length
  int64_t entries = 0;   ///< lines written
};

/// Learns how target pieces follow from source pieces (align::learn_lexicon()) and writes the table
/// that decode::read_shortlist() reads. Throws what loading a model throws, DataError for texts
/// that cannot be read, of unequal length or without a pair to learn from, Stopped after a signal.
[[nodiscard]] LexiconCount make_lexicon(const LexiconRequest& request);

}  // namespace attend::app
