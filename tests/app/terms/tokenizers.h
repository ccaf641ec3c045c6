#pragma once
#include <memory>
#include <string>

#include "text/tokenizer.h"

namespace attend::test {

/// A tokenizer whose pieces are the characters of `line`, which can write a word in every way.
[[nodiscard]] std::shared_ptr<const text::Tokenizer> character_tokenizer(const std::string& line);

/// A BPE tokenizer for the words of `line`, with pieces for text::placeholder_symbols().
[[nodiscard]] std::shared_ptr<const text::Tokenizer> placeholder_tokenizer(
    const std::string& line, text::PieceOrder order = text::PieceOrder::kReading);

/// A tokenizer whose pieces are the words of `line`.
[[nodiscard]] std::shared_ptr<const text::Tokenizer> word_tokenizer(
    const std::string& line, bool lowercase = false,
    text::PieceOrder order = text::PieceOrder::kReading);

}  // namespace attend::test
