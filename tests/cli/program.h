#pragma once
#include <string>
#include <vector>

namespace attend::cli::test {

/// The exit code and output of a run of the program.
struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

/// Runs the program inside this process with `arguments` after its name. The environment variable
/// ATTEND_TEST_DEVICE, if set, replaces the device of `--device cpu`, for tests on a GPU. The
/// output lacks the warning about this machine's OpenBLAS.
[[nodiscard]] Ended run_program(const std::vector<std::string>& arguments);

}  // namespace attend::cli::test
