#pragma once
#include <string>
#include <string_view>

namespace attend {

/// How messages call an option: "max-length-ratio" becomes "--max-length-ratio" where the program
/// is used by a command line. What lies below that knows options by their bare names.
[[nodiscard]] std::string option_name(std::string_view name);

/// Says how options are written from now on; until then by their bare names. To be called by what
/// talks to the user, once, before other threads are started.
void spell_options(std::string (*spelling)(std::string_view name));

}  // namespace attend
