#include "tests/cli/program.h"

#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace attend::cli::test {

Ended run_program(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"attend"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  ended.code = run(static_cast<int>(argv.size()), argv.data());
  ended.out = testing::internal::GetCapturedStdout();
  ended.err = testing::internal::GetCapturedStderr();
  return ended;
}

}  // namespace attend::cli::test
