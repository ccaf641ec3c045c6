#include "cli/commands.h"

#include "cli/cmd_config.h"
#include "cli/cmd_eval.h"

namespace attend::cli {

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
      {"eval", "Score translations against references", add_eval},
      {"config", "Print a config with all defaults, or explain every key", add_config},
  };
  return kCommands;
}

void add_commands(CLI::App& app) {
  for (const Command& command : commands()) {
    command.add(*app.add_subcommand(command.name, command.meaning));
  }
}

}  // namespace attend::cli
