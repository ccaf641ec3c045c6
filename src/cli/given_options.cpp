#include "cli/given_options.h"

#include <fmt/format.h>

#include "core/closest_name.h"
#include "core/error.h"

namespace attend::cli {

std::vector<std::string> given_options(const CLI::App& command,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> given;
  for (const std::string& option : options) {
    if (command.count(option) > 0) given.push_back(option);
  }
  return given;
}

void refuse_given(const CLI::App& command, const std::vector<std::string>& options,
                  const std::string& why) {
  const std::vector<std::string> given = given_options(command, options);
  if (given.empty()) return;
  throw UsageError(fmt::format("{} would have no effect: {}", join(given, " and "), why));
}

}  // namespace attend::cli
