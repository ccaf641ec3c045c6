#pragma once

namespace attend::cli {

/// The whole program: parses the command line, runs the command and turns whatever is thrown into a
/// message on standard error and an exit code. Throws nothing.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace attend::cli
