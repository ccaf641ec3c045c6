#include <memory>

#include "app/translate/lexicon.h"
#include "app/translate/word_lexicon.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "core/error.h"
#include "core/log.h"

namespace attend::cli {
namespace {

struct LexiconCommand {
  LogOptions log;
  app::LexiconRequest request;
  std::string links;  ///< of words; empty: the table is of the model's pieces
};

void check_lexicon(const LexiconCommand& command) {
  if (command.links.empty() && command.request.model.empty())
    throw UsageError(
        "give --model DIR for a table of the model's pieces, or --links FILE for one of words");
}

void run_lexicon(const LexiconCommand& command) {
  check_lexicon(command);
  const std::vector<std::string> inputs = {command.request.source, command.request.target,
                                           command.links};
  check_log_file(command.log, {command.request.output}, inputs);
  check_inputs_kept({command.request.output}, inputs);
  set_up_log(command.log);
  if (!command.links.empty()) {
    const app::WordLexiconCount count = app::make_word_lexicon({.links = command.links,
                                                                .source = command.request.source,
                                                                .target = command.request.target,
                                                                .output = command.request.output});
    return log::info("lexicon: {} lines from {} pairs", count.entries, count.pairs);
  }
  const app::LexiconCount count = app::make_lexicon(command.request);
  log::info(
      "lexicon: {} lines from {} pairs; skipped {} pairs with an empty side or more than "
      "data.max_length pieces",
      count.entries, count.pairs, count.left_out);
}

}  // namespace

void add_lexicon(CLI::App& command) {
  const auto options = std::make_shared<LexiconCommand>();
  options->request.output = "-";
  // option_text() hides that the two exclude each other; the error says so.
  auto* model = command.add_option("--model", options->request.model,
                                   "Use the tokenizers of this model folder");
  model->option_text("DIR");
  command
      .add_option("--links", options->links,
                  "Count these links between words, from attend align, instead of learning")
      ->excludes(model)
      ->option_text("FILE");
  command
      .add_option("--source", options->request.source,
                  "Source sentences, as in data.train; NAME=FILE,NAME=FILE for several sources")
      ->required()
      ->type_name("FILE");
  command.add_option("--target", options->request.target, "Translations, one per source line")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--output", options->request.output,
                  "Write the table here (default -: standard output)")
      ->type_name("FILE");
  add_log_options(command, options->log);
  command.footer(
      "Learns p(target piece | source piece) with IBM model 1; writes lines \"TARGET SOURCE "
      "P\".\n"
      "With --links, counts p(target word | source word); such a table is for reading and not for\n"
      "--shortlist.\n\n"
      "Example:\n"
      "  attend lexicon --model runs/quickstart --source data/quickstart/train.en "
      "--target data/quickstart/train.de --output runs/quickstart.lex\n"
      "  attend translate --model runs/quickstart --shortlist runs/quickstart.lex");
  command.callback([options] { run_lexicon(*options); });
}

}  // namespace attend::cli
