#pragma once
#include <string>
#include <string_view>

namespace attend::text {

/// Thrown for a model that SentencePiece must not read; says what is wrong with the model.
struct ModelFault {
  std::string what;
};

/// Checks compiled normalisation rules (precompiled_charsmap of a SentencePiece model), which
/// SentencePiece follows without checking that they stay inside the file. They consist of the size
/// in bytes of a trie (uint32), the trie (a double array of darts-clone, units of 4 bytes), and
/// replacements, each ending with a zero byte. A leaf of the trie holds the offset of its key's
/// replacement. All numbers are little-endian. Throws ModelFault if a search could leave the trie,
/// its results or the replacements, if keys or replacements are not well-formed UTF-8, and for
/// rules larger than any real model's (over 16 MiB, or over 1,024 bytes for one match).
void check_charsmap(std::string_view charsmap);

}  // namespace attend::text
