#pragma once
#include <string>
#include <vector>

namespace attend::cli::test {

/// What a run of the program ended with.
struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

/// Runs the program inside this process with `arguments` after its name. For a machine with a GPU:
/// `--device cpu` becomes the device that ATTEND_TEST_DEVICE names, if it is in the environment.
[[nodiscard]] Ended run_program(const std::vector<std::string>& arguments);

}  // namespace attend::cli::test
