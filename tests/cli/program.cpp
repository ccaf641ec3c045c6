#include "tests/cli/program.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/command_line.h"

namespace attend::cli::test {
namespace {

std::vector<const char*> arguments_to_main(const std::vector<std::string>& arguments) {
  const char* device = std::getenv("ATTEND_TEST_DEVICE");
  std::vector<const char*> argv = {"attend"};
  for (const std::string& argument : arguments) {
    const bool is_device = argument == "cpu" && std::string(argv.back()) == "--device";
    argv.push_back(is_device && device != nullptr ? device : argument.c_str());
  }
  return argv;
}

}  // namespace

Ended run_program(const std::vector<std::string>& arguments) {
  const std::vector<const char*> argv = arguments_to_main(arguments);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  ended.code = run(static_cast<int>(argv.size()), argv.data());
  ended.out = testing::internal::GetCapturedStdout();
  ended.err = testing::internal::GetCapturedStderr();
  return ended;
}

}  // namespace attend::cli::test
