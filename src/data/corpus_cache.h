#pragma once
#include <string>
#include <vector>

#include "data/options.h"
#include "data/token_file.h"
#include "text/options.h"

namespace attend::data {

/// What the ids of a training text follow from, as text: the files of options.train with the names
/// of their sources, their sizes, inodes and times of change, `tokenizer_models` (the bytes of one
/// joint SentencePiece model or of {source, target}), and the options that change or leave out
/// pairs. Throws DataError if a file is not there.
[[nodiscard]] std::string corpus_key(const DataOptions& options,
                                     const std::vector<std::string>& tokenizer_models);

/// What tokenizer_models() follow from where they are trained, likewise: the files, the options of
/// the tokenizer that training looks at, lower-casing and the separator of segments.
[[nodiscard]] std::string tokenizer_key(const DataOptions& options,
                                        const text::TokenizerOptions& tokenizer);

}  // namespace attend::data
