#pragma once
#include <string_view>

namespace attend::app {

/// The source of model.py, which is embedded in the program.
[[nodiscard]] std::string_view reference_model();

}  // namespace attend::app
