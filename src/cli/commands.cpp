#include "cli/commands.h"

namespace attend::cli {

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
      {"train", "Train a model from a config", add_train},
      {"translate", "Translate lines of text", add_translate},
      {"lexicon", "Build the table of likely pieces for translate --shortlist", add_lexicon},
      {"merge", "Merge the shards of a translation", add_merge},
      {"score", "Compute the log-probability of given translations", add_score},
      {"eval", "Score translations against references", add_eval},
      {"align", "Align the words of sentence pairs; write links and attention, measure AER",
       add_align},
      {"explain", "Measure how far attention explains a model's decisions", add_explain},
      {"rerank", "Choose from n-best lists by weighted scores or by references", add_rerank},
      {"inspect", "Show a model's sizes, training history and config, or its attention",
       add_inspect},
      {"serve", "Serve models over HTTP, with a web page to translate and inspect attention",
       add_serve},
      {"export", "Write a model for CTranslate2, Argos Translate or PyTorch", add_export},
      {"average", "Average the weights of models or snapshots", add_average},
      {"config", "Print a config with all defaults, or explain every key", add_config},
      {"man", "Print the manual page of a command", add_man},
      {"completion", "Print a script that completes commands and options in a shell",
       add_completion},
  };
  return kCommands;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

void add_commands(CLI::App& app) {
  for (const Command& command : commands()) {
    CLI::App& added = *app.add_subcommand(command.name, command.meaning);
    command.add(*added.group("Commands"));
  }
}

}  // namespace attend::cli
