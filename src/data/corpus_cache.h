#pragma once
#include <string>
#include <vector>

#include "data/options.h"
#include "data/token_file.h"
#include "text/options.h"

namespace attend::data {

/// Returns a text that lists everything that determines the ids of a training text: the files of
/// options.train with source names, sizes, inodes and change times; `tokenizer_models` (the bytes
/// of one joint SentencePiece model or of {source, target}); and the options that change or skip
/// pairs. Throws DataError if a file is missing.
[[nodiscard]] std::string corpus_key(const DataOptions& options,
                                     const std::vector<std::string>& tokenizer_models);

/// Returns a text that lists everything that determines trained tokenizer_models(): the files, the
/// tokenizer options that training reads, lower-casing and the segment separator.
[[nodiscard]] std::string tokenizer_key(const DataOptions& options,
                                        const text::TokenizerOptions& tokenizer);

}  // namespace attend::data
