#include "cli/commands.h"

#include "cli/cmd_align.h"
#include "cli/cmd_average.h"
#include "cli/cmd_config.h"
#include "cli/cmd_eval.h"
#include "cli/cmd_inspect.h"
#include "cli/cmd_lexicon.h"
#include "cli/cmd_merge.h"
#include "cli/cmd_rerank.h"
#include "cli/cmd_score.h"
#include "cli/cmd_serve.h"
#include "cli/cmd_train.h"
#include "cli/cmd_translate.h"

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
