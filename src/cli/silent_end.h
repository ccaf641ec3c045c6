#pragma once

namespace attend::cli {

/// Ends the program with an exit code and no word: another process has said why.
struct SilentEnd {
  int exit_code = 0;
};

}  // namespace attend::cli
