#pragma once
#include <filesystem>
#include <vector>

namespace attend::text {

/// The places of the SentencePiece module, best first, for a program in `folder`: beside it, in an
/// installation (bin/ and lib/attend/), and in a build folder (src/cli/ and src/text/). All are
/// relative to `folder`, so that a moved tree works.
[[nodiscard]] std::vector<std::filesystem::path> module_places(const std::filesystem::path& folder);

/// Returns the first place with a file. Throws UserError that names all places if there is none.
[[nodiscard]] std::filesystem::path find_module(const std::filesystem::path& folder);

}  // namespace attend::text
