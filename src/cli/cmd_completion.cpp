#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/reference/completion.h"
#include "core/file.h"

namespace attend::cli {

void add_completion(CLI::App& command) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "Print the script for bash, zsh or fish")
      ->required()
      ->check(one_of(shell_names()))
      ->type_name("SHELL");
  command.footer(
      "Example:\n"
      "  source <(attend completion bash)\n"
      "  attend completion fish >~/.config/fish/completions/attend.fish");
  command.callback([shell, &command] {
    OutputFile output("-");
    output.write(completion(*shell, program_table(*command.get_parent()), config_keys()));
    output.commit();
  });
}

}  // namespace attend::cli
