#pragma once
#include <optional>
#include <string>

#include "text/protect_options.h"

namespace attend::app {

/// Reads the option `protect`: kinds with commas between them, which join the patterns of `trained`
/// (the model's data.protect), or "none" alone. Unset if nothing is given. Throws UsageError for
/// other names.
[[nodiscard]] std::optional<text::ProtectOptions> protect_choice(
    const std::string& given, const text::ProtectOptions& trained);

}  // namespace attend::app
