#pragma once
#include <string>
#include <vector>

#include "app/export/exported_file.h"

namespace attend::app {

/// The bytes of a ZIP archive (PKWARE's APPNOTE 6.3, Sec. 4.3) with the files uncompressed, names
/// in UTF-8 and no dates, so that equal files give equal bytes. Throws UsageError for an archive of
/// 4 GiB or more.
[[nodiscard]] std::string zip_archive(const std::vector<ExportedFile>& files);

}  // namespace attend::app
