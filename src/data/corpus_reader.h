#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/example_reader.h"
#include "data/options.h"
#include "data/parallel_corpus.h"
#include "data/reading.h"
#include "text/tokenizer.h"

namespace attend::data {

/// What Stopped says where a signal ends the preparation of data.
inline constexpr const char* kStopped = "stopped by a signal while the text was cut into pieces";

/// The tokenizers of all sources and of the target; the same one twice for a joint vocabulary.
struct TokenizerPair {
  const text::Tokenizer& source;
  const text::Tokenizer& target;
};

/// Pairs left out for one reason.
struct Skipped {
  int64_t count = 0;
  std::string first;  // "file:line" of the first one's source
};

struct TrainingText {
  ParallelCorpus corpus;
  int64_t lines = 0;                  // pairs read
  std::vector<int64_t> ends = {};     // the last line of each text, counted over all
  Skipped empty = {};                 // a side without any piece
  Skipped too_long = {};              // a side of more than data.max_length pieces
  Skipped uneven = {};                // lengths further apart than data.max_ratio
  std::vector<Repairs> repairs = {};  // of all files
};

/// Warns of ill-formed UTF-8, once per file, and of skipped pairs, once per reason. Throws
/// DataError if no pair is left.
void report_skipped(const TrainingText& text, const DataOptions& options);

/// Reads and tokenises options.train, and reports what was skipped. Keeps the ids only; the text
/// passes through in small portions. A tag stands before each source of its text, whose length it
/// counts towards. `links`, if not empty, names a file of word links for each of
/// options.train (GuideReader), a line for every line pair, skipped ones included; the corpus then
/// has goals (that needs pairs: a single source). With options.storage "mmap" all of this lies in a
/// file in `folder` (empty: the system's temporary folder). Throws DataError for files that cannot
/// be read or differ in line count, for links that are none, and if no pair is left; ConfigError
/// for a tag that the tokenizer does not have; Stopped within a portion of the text after a signal
/// asked for it. reading.threads portions are cut side by side while the next one is read, so that
/// no more than two for each thread are in memory; what comes out does not depend on how many.
[[nodiscard]] TrainingText read_training_text(const DataOptions& options,
                                              const TokenizerPair& tokenizers,
                                              const std::vector<std::string>& links = {},
                                              const std::filesystem::path& folder = {},
                                              const Reading& reading = {});

}  // namespace attend::data
