#pragma once

namespace attend::cli {

/// Parses the command line, runs the command and turns exceptions into a message on standard error
/// and an exit code. Throws nothing.
[[nodiscard]] int run(int argc, const char* const* argv);

/// Thrown to end the program with an exit code and without a message, because another process has
/// reported the error.
struct SilentEnd {
  int exit_code = 0;
};

}  // namespace attend::cli
