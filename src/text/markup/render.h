#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/markup/marked_part.h"
#include "text/markup/tag_placement.h"

namespace attend::text {

/// The translation of a part with its tags, as place_tags() places them, and with its text escaped.
/// The blanks around tags are those of the source wherever the translation has a blank. Marks that
/// need text (**) are left out if they would enclose none. `words`: all words of `translation`, in
/// order; there are only blanks between them.
[[nodiscard]] std::string render_part(const MarkedPart& part, std::string_view translation,
                                      const std::vector<LinkedWord>& words, Markup markup);

/// The line with `rendered` parts in place of `parts`; everything else stays as it is.
[[nodiscard]] std::string join_parts(const std::string& raw, const std::vector<MarkedPart>& parts,
                                     const std::vector<std::string>& rendered, Markup markup);

}  // namespace attend::text
