#pragma once
#include "core/error.h"

namespace attend::storage {

/// A tensor file of another format version: not damaged, but not for this build.
class VersionError : public ModelFileError {
 public:
  using ModelFileError::ModelFileError;
};

}  // namespace attend::storage
