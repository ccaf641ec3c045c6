#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace attend::text {

/// What of a line can matter to whoever reads its first `pieces` pieces and wants to know whether
/// there are more: the line itself, or of one beyond 64 KiB a beginning with more than twice as
/// many. Cutting a line into pieces takes some 300 bytes of memory for each of its bytes. The first
/// `pieces` pieces are those of the whole line, unless pieces of the model span blanks.
[[nodiscard]] std::string_view enough_of(std::string_view line, const Tokenizer& tokenizer,
                                         int64_t pieces);

/// The first pieces of a line.
struct Beginning {
  std::vector<TokenId> ids;
  bool cut = false;  ///< the line has more
};

/// At most `pieces` of them.
[[nodiscard]] Beginning encode_beginning(std::string_view line, const Tokenizer& tokenizer,
                                         int64_t pieces);

}  // namespace attend::text
