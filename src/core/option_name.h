#pragma once
#include <string>
#include <string_view>

namespace attend {

/// The name of an option as messages show it: "max-length-ratio" becomes "--max-length-ratio" in a
/// command-line program. Code below the command line knows only the bare names.
[[nodiscard]] std::string option_name(std::string_view name);

/// Sets how option_name() spells options; by default it returns the bare name. Call it once, before
/// starting other threads.
void spell_options(std::string (*spelling)(std::string_view name));

}  // namespace attend
