#pragma once
#include <unicode/utypes.h>

#include <stdexcept>
#include <string>

namespace attend::text {

/// Throws std::runtime_error, with ICU's name of the error, if a call of ICU failed.
inline void check_icu(UErrorCode status) {
  if (U_FAILURE(status) != 0) throw std::runtime_error(std::string("ICU: ") + u_errorName(status));
}

}  // namespace attend::text
