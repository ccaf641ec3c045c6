#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "text/options.h"
#include "text/tokenizer_training.h"

namespace attend::test {

/// Returns `lines` one by one.
[[nodiscard]] text::NextLine from(std::vector<std::string> lines);

/// Sentences with repeated words and German letters.
[[nodiscard]] std::vector<std::string> toy_text();

/// A model of `type` trained on toy_text(), in `folder`.
[[nodiscard]] std::filesystem::path toy_model(const TempDir& folder,
                                              text::TokenizerType type = text::TokenizerType::bpe,
                                              int64_t vocabulary = 60);

}  // namespace attend::test
