#pragma once
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "config/load.h"

namespace attend::app {

/// Throws one DataError that lists all missing text and link files of the config, each with the
/// position of its key. Does not check whether existing files can be read.
void check_files_are_there(const config::Loaded<Experiment>& loaded);

/// All text and link files that the config names.
[[nodiscard]] std::vector<std::string> input_files(const Experiment& experiment);

}  // namespace attend::app
