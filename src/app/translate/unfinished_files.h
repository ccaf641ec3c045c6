#pragma once
#include <filesystem>
#include <string_view>

namespace attend::app {

/// Throws DataError if a translation to `output` would overwrite a file beside it that is not from
/// an earlier translation: OUTPUT.part, OUTPUT.journal or OUTPUT.shard is a link or not a regular
/// file, the journal does not begin like `journal_start`, the record of a shard does not begin like
/// `shard_start` (empty: it is not checked), or there is a part with content but no journal.
/// Changes nothing.
void check_unfinished_files(const std::filesystem::path& output, std::string_view journal_start,
                            std::string_view shard_start);

}  // namespace attend::app
