#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/options.h"
#include "data/parallel_corpus.h"
#include "text/tokenizer.h"

namespace attend::data {

/// The tokenizers of both sides; the same one twice for a joint vocabulary.
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
  int64_t lines = 0;  // pairs read
  Skipped empty;      // a side without any piece
  Skipped too_long;   // a side of more than data.max_length pieces
  Skipped uneven;     // lengths further apart than data.max_ratio
};

/// Warns once per reason for which pairs were skipped. Throws DataError if no pair is left.
void report_skipped(const TrainingText& text, const DataOptions& options);

/// Reads and tokenises options.train, and reports what was skipped. Keeps the ids only; the text
/// passes through in small portions. `links`, if not empty, names a file of word links for each of
/// options.train (GuideReader), a line for every line pair, skipped ones included; the corpus then
/// has goals. With options.storage "mmap" all of this lies in a file in `folder` (empty: the
/// system's temporary folder). Throws DataError for files that cannot be read or differ in line
/// count, for links that are none, and if no pair is left.
[[nodiscard]] TrainingText read_training_text(const DataOptions& options,
                                              const TokenizerPair& tokenizers,
                                              const std::vector<std::string>& links = {},
                                              const std::filesystem::path& folder = {});

/// `corpus` cut anew by subword sampling (Tokenizer::encode_sampled): the same pairs, in the same
/// order, from the same files, which are read again. A side that sampling would make longer than
/// options.max_length keeps its usual pieces. Depends on the arguments alone, whatever was sampled
/// before. Goals, from the same `links`, follow the new pieces. `folder` as above. Throws DataError
/// if the files are no longer the same.
[[nodiscard]] ParallelCorpus resample(const ParallelCorpus& corpus, const DataOptions& options,
                                      const TokenizerPair& tokenizers, double alpha, uint64_t seed,
                                      const std::vector<std::string>& links = {},
                                      const std::filesystem::path& folder = {});

}  // namespace attend::data
