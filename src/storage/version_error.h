#pragma once
#include "core/error.h"

namespace attend::storage {

/// A tensor file has a format version that this build cannot read. The file is not damaged.
class VersionError : public ModelFileError {
 public:
  using ModelFileError::ModelFileError;
};

}  // namespace attend::storage
