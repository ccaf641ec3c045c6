#pragma once
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// Throws one DataError with every text and file of links that the config names and that is not
/// there, each at the place of its key; others that cannot be read are left to those who read them.
void check_files_are_there(const config::Loaded<Experiment>& loaded);

/// Every text and file of links that the config names.
[[nodiscard]] std::vector<std::string> input_files(const Experiment& experiment);

}  // namespace attend::app
