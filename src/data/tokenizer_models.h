#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/options.h"
#include "data/reading.h"
#include "text/options.h"

namespace attend::data {

/// The bytes of the SentencePiece models of a run: one for a joint vocabulary, else {source,
/// target}; all sources share one. Those of tokenizer.model if it is given; else trained on
/// data.train, the same ones for the same text and options. Throws DataError for text and
/// ModelFileError for models that cannot be read, ConfigError if the vocabulary is too small for
/// the text, Stopped after a signal.
[[nodiscard]] std::vector<std::string> tokenizer_models(const text::TokenizerOptions& tokenizer,
                                                        const DataOptions& data,
                                                        const Reading& reading = {});

}  // namespace attend::data
