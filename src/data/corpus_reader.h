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

/// The message of Stopped if a signal ends data preparation.
inline constexpr const char* kStopped = "stopped by a signal while tokenising the text";

/// The tokenizers of all sources and of the target. With a joint vocabulary, both are the same.
struct TokenizerPair {
  const text::Tokenizer& source;
  const text::Tokenizer& target;
};

/// Pairs skipped for one reason.
struct Skipped {
  int64_t count = 0;
  std::string first;  // "file:line" of the first skipped source
};

struct TrainingText {
  ParallelCorpus corpus;
  int64_t lines = 0;                  // pairs read, without copies with marked terms
  std::vector<int64_t> ends = {};     // last line of each text and copy, counted over all files
  Skipped empty = {};                 // a side without any piece
  Skipped too_long = {};              // a side of more than data.max_length pieces
  Skipped uneven = {};                // length ratio above data.max_ratio
  std::vector<Repairs> repairs = {};  // of all files
};

/// Warns about ill-formed UTF-8, once per file, and about skipped pairs, once per reason. Throws
/// DataError if no pair is left.
void report_skipped(const TrainingText& text, const DataOptions& options);

/// Reads and tokenises texts_of(options) and reports skipped pairs, but not skipped copies with
/// marked terms. The length ratio of a copy is that without its marks. Only ids are kept; the text
/// is read in small portions. A tag becomes the first piece of each source of its text and counts
/// towards the length. `links`, if not empty, names one file of word links (GuideReader) for each
/// of options.train, with a line for every line pair, including skipped pairs. The corpus then has
/// attention goals; this needs a single source. With options.storage "mmap" the data lies in a file
/// in `folder` (empty: the system's temporary folder). reading.threads portions are tokenised in
/// parallel while the next one is read, so at most two portions per thread are in memory. The
/// result does not depend on the number of threads. Throws DataError if files cannot be read,
/// differ in line count or hold invalid links, and if no pair is left; ConfigError if a tokenizer
/// lacks a tag, the placeholders of options.protect or the marks of options.terms; Stopped after a
/// signal, at the latest before the next portion.
[[nodiscard]] TrainingText read_training_text(const DataOptions& options,
                                              const TokenizerPair& tokenizers,
                                              const std::vector<std::string>& links = {},
                                              const std::filesystem::path& folder = {},
                                              const Reading& reading = {});

}  // namespace attend::data
