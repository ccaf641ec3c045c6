#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "text/options.h"

namespace attend::text {

/// Returns the next line of the training text, or nothing at the end.
using NextLine = std::function<std::optional<std::string>()>;

/// Samples at most `bound` of the lines of 1 to 16384 bytes, each with equal probability (reservoir
/// sampling, Vitter 1985, algorithm R; random stream "tokenizer lines" of `seed`). Returns all of
/// them in order if there are at most `bound`.
[[nodiscard]] std::vector<std::string> sample_lines(const NextLine& next_line, int64_t bound,
                                                    uint64_t seed);

/// Trains a SentencePiece model with our special ids and returns the bytes of its file. The result
/// depends only on text and options, not on the run's seed, so that runs with different seeds can
/// form an ensemble. `lowercase` converts the text to lower case first. If the text yields fewer
/// pieces than requested, the model is smaller, with a warning for bpe and unigram. Each of
/// `symbols` becomes a piece that is never split or merged; symbols contain no blanks or commas.
/// Throws DataError if the text has no words, and ConfigError if the vocabulary is too small for
/// the characters.
[[nodiscard]] std::string train_tokenizer(const TokenizerOptions& options, bool lowercase,
                                          const NextLine& next_line,
                                          const std::vector<std::string>& symbols = {});

}  // namespace attend::text
