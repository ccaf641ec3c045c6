#pragma once
#include <string_view>

#include "text/charsmap.h"

namespace attend::text {

/// Checks what SentencePiece does not check in the bytes of a model file: the normalisation rules
/// (see check_charsmap()), and that at most 64 user-defined pieces begin one another, because their
/// matches go to an array of that size. Throws ModelFault. Bytes that are not a protocol buffer are
/// a fault too.
void check_model(std::string_view model);

}  // namespace attend::text
