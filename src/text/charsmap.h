#pragma once
#include <string>
#include <string_view>

namespace attend::text {

/// Thrown for a SentencePiece model that SentencePiece must not read, with what is wrong with it.
struct ModelFault {
  std::string what;
};

/// Checks compiled normalisation rules (precompiled_charsmap of a SentencePiece model), which
/// SentencePiece follows without checking that they stay inside the file. They consist of the size
/// in bytes of a trie (uint32), the trie (a double array of darts-clone, units of 4 bytes), and
/// replacements, each ending with a zero byte. A leaf of the trie holds the offset of its key's
/// replacement. All numbers are little-endian. Throws ModelFault if a search could leave the trie,
/// its results or the replacements, if keys or replacements are not well-formed UTF-8, and for
/// rules that no real model has (16 MiB, or more than 1,024 bytes for one match).
void check_charsmap(std::string_view charsmap);

}  // namespace attend::text
