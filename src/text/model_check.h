#pragma once
#include <string_view>

#include "text/charsmap.h"

namespace attend::text {

/// Checks what SentencePiece does not check in the bytes of a model file: the normalisation rules
/// (see check_charsmap()), and that at most 64 user-defined pieces are prefixes of one text,
/// because SentencePiece writes its matches to an array of that size. Throws ModelFault, also for
/// bytes that are not a protocol buffer.
void check_model(std::string_view model);

}  // namespace attend::text
