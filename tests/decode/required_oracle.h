#pragma once
#include <cstdint>

#include "decode/scoring/required_phrases.h"
#include "tests/decode/table_model.h"

namespace attend::test {

/// True if `output` meets the definition of RequiredPhrases, by a search over all sets of
/// occurrences that do not overlap.
[[nodiscard]] bool contains(const Tokens& output, const decode::RequiredPhrases& required);

/// Groups of one phrase each, which may be followed by anything.
[[nodiscard]] decode::RequiredPhrases all_of(const std::vector<Tokens>& phrases);

}  // namespace attend::test
