#pragma once
#include <CLI/CLI.hpp>

namespace attend::cli {

/// `attend lexicon`: a table of how pieces are translated, for --shortlist.
void add_lexicon(CLI::App& command);

}  // namespace attend::cli
