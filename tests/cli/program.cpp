#include "tests/cli/program.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "cli/command_line.h"
#include "runtime/blas.h"

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

/// Removes the line with the warning about this machine's OpenBLAS, which depends on the CPU and on
/// OPENBLAS_CORETYPE, not on the program.
std::string without_blas_warning(std::string text) {
  const std::string warning = runtime::loaded_blas().warning;
  const std::size_t found = warning.empty() ? std::string::npos : text.find(warning);
  if (found == std::string::npos) return text;
  const std::size_t line_break = text.rfind('\n', found);
  const std::size_t begin = line_break == std::string::npos ? 0 : line_break + 1;
  return text.erase(begin, text.find('\n', found) + 1 - begin);
}

}  // namespace

Ended run_program(const std::vector<std::string>& arguments) {
  const std::vector<const char*> argv = arguments_to_main(arguments);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  ended.code = run(static_cast<int>(argv.size()), argv.data());
  ended.out = testing::internal::GetCapturedStdout();
  ended.err = without_blas_warning(testing::internal::GetCapturedStderr());
  return ended;
}

}  // namespace attend::cli::test
