#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "text/options.h"

namespace attend::text {

/// Hands out the training text line by line, and nothing at its end.
using NextLine = std::function<std::optional<std::string>()>;

/// At most `bound` lines, each line of 1 to 16384 bytes with the same chance (reservoir sampling,
/// Vitter 1985, algorithm R), drawn from the stream "tokenizer lines" of `seed`. All of them in
/// their order where there are no more than that.
[[nodiscard]] std::vector<std::string> sample_lines(const NextLine& next_line, int64_t bound,
                                                    uint64_t seed);

/// Trains a SentencePiece model with our special ids and returns the bytes of its file: the same
/// ones for the same text and options, whatever the seed of a run, so that runs of several seeds
/// make an ensemble. `lowercase` puts the text in lower case before. Where
/// the text does not have as many pieces as asked for, the model is smaller, with a warning (bpe,
/// unigram). Each of `symbols` gets a piece of its own, which no text is cut through; they hold
/// neither blanks nor commas. Throws DataError if the text has no words and ConfigError if the
/// vocabulary has no room for its characters.
[[nodiscard]] std::string train_tokenizer(const TokenizerOptions& options, bool lowercase,
                                          const NextLine& next_line,
                                          const std::vector<std::string>& symbols = {});

}  // namespace attend::text
