#pragma once
#include <string>
#include <vector>

#include "data/corpus_reader.h"
#include "data/options.h"
#include "data/parallel_corpus.h"

namespace attend::data {

/// The text for validation: all of it, nothing skipped.
struct DevSet {
  std::vector<std::vector<std::string>> sources;  // of each source side, the lines to translate
  std::vector<std::string> reference;             // their translations, as they are in the file
  ParallelCorpus pairs;  // pair i is line i; sides longer than max_length are cut
};

/// Reads `files`; warns of lines that were cut. Throws DataError for files that cannot be read,
/// differ in line count or are empty, Stopped if a signal asks for it.
[[nodiscard]] DevSet read_dev_set(const ExampleFiles& files, int64_t max_length,
                                  const TokenizerPair& tokenizers);

}  // namespace attend::data
