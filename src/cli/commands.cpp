#include "cli/commands.h"

namespace attend::cli {

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
      {"train", "Train a model from a config", add_train},
      {"translate", "Translate lines of text", add_translate},
      {"lexicon", "Make the table of likely pieces for translate --shortlist", add_lexicon},
      {"merge", "Put the shards of a translation together", add_merge},
      {"score", "Log-probability of given translations", add_score},
      {"eval", "Score translations against references", add_eval},
      {"align", "Word links and attention of given pairs, and their error rate", add_align},
      {"rerank", "Choose from n-best lists by weighted scores or by references", add_rerank},
      {"inspect", "Show what a model directory holds", add_inspect},
      {"serve", "Answer requests over HTTP, with a page to translate and look inside", add_serve},
      {"average", "Average the weights of models or snapshots", add_average},
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
