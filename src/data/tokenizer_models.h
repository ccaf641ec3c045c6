#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/options.h"
#include "data/reading.h"
#include "text/options.h"

namespace attend::data {

/// The bytes of the SentencePiece models of a run: one for a joint vocabulary, otherwise {source,
/// target}; all sources share one model. Reads the files of tokenizer.model if they are given,
/// otherwise trains on data.train; the same text and options give the same models. Throws DataError
/// if the text cannot be read, ModelFileError if a model cannot be read, ConfigError if the
/// vocabulary is too small for the text, and Stopped after a signal.
[[nodiscard]] std::vector<std::string> tokenizer_models(const text::TokenizerOptions& tokenizer,
                                                        const DataOptions& data,
                                                        const Reading& reading = {});

}  // namespace attend::data
