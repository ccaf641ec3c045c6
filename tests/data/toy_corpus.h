#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus_reader.h"
#include "data/options.h"
#include "data/parallel_corpus.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace attend::test {

/// A tokenizer that cuts a line into its words, at spaces; the words are a, b, c, ... j.
[[nodiscard]] text::Tokenizer word_tokenizer(const TempDir& folder);

/// A BPE tokenizer for words of the letters a to j.
[[nodiscard]] text::Tokenizer bpe_tokenizer(const TempDir& folder);

/// Writes the files NAME.source and NAME.target.
[[nodiscard]] data::PairFiles write_pairs(const TempDir& folder, const std::string& name,
                                          const std::string& source, const std::string& target);

/// The lengths of the two sides of a pair.
struct Lengths {
  int64_t source;
  int64_t target;
};

/// A corpus of pairs with these lengths. The first token of each source is 4 + the pair's number
/// modulo 1000; the first line is line 1.
[[nodiscard]] data::ParallelCorpus corpus_of(const std::vector<Lengths>& lengths);

/// The lengths of `count` pairs, distributed as in natural text: log-normal with a median of 13
/// tokens; the target is about as long as the source.
[[nodiscard]] std::vector<Lengths> natural_lengths(int64_t count);

}  // namespace attend::test
