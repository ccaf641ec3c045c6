#include "app/model/scratch_folder.h"

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace attend::app {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  std::string name = (base / "attend-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    throw DataError(base, "cannot create a temporary folder here; set TMPDIR to a writable folder");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace attend::app
