#pragma once
#include <string>
#include <vector>

#include "data/corpus_reader.h"
#include "data/options.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// The validation set. No line is skipped.
struct DevSet {
  std::vector<std::vector<std::string>> sources;  // lines to translate, by source side
  std::vector<std::string> reference;             // their translations
  ParallelCorpus pairs;  // pair i is line i; sides longer than max_length are cut
};

/// Reads `files` and warns about lines that were cut. In `pairs`, what `protect` names is replaced
/// in both sides, as in training (PairProtection); the lines stay as they are. Throws
/// DataError if files cannot be read, differ in line count or are empty, and Stopped after a
/// signal.
[[nodiscard]] DevSet read_dev_set(const ExampleFiles& files, int64_t max_length,
                                  const TokenizerPair& tokenizers,
                                  const text::ProtectOptions& protect = {});

}  // namespace attend::data
