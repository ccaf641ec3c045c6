#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/align/forced_pairs.h"
#include "app/model/loaded_model.h"
#include "app/translate/batch_overrides.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/line_progress.h"
#include "cli/search_flags.h"
#include "cli/start_runtime.h"
#include "core/file.h"
#include "data/pair_reader.h"

namespace attend::cli {

namespace {

struct ScoreCommand {
  CommonOptions common;
  std::string model;
  data::PairFiles files;
  std::string output = "-";
  app::BatchOverrides batch;
};

void run_score(const ScoreCommand& command) {
  const std::vector<std::string> inputs = {command.files.source, command.files.target};
  check_log_file(command.common.log, {command.output}, inputs);
  check_inputs_kept({command.output}, inputs);
  const runtime::Runtime runtime = start_runtime(command.common);
  const auto model = app::load_model(command.model, runtime.device);
  CommandProgress progress(command.common.log.quiet, command.output);
  // Scores whole lines, because the probability of a cut pair would be misleading.
  const app::ForceOptions options{.batch = app::batch_size(command.batch, model),
                                  .keep_attention = false,
                                  .whole_lines = true,
                                  .report = progress.reporter()};
  data::PairReader reader(command.files);
  OutputFile output(command.output);
  app::force_pairs(reader, model, options, [&](const app::ForcedPair& pair) {
    output.write_line(fmt::format("{:.6f}", pair.forced.log_prob()));
  });
  output.commit();
}

}  // namespace

void add_score(CLI::App& command) {
  const auto options = std::make_shared<ScoreCommand>();
  command.add_option("--model", options->model, "Model folder")->required()->type_name("DIR");
  command.add_option("--source", options->files.source, "Source sentences")
      ->required()
      ->type_name("FILE");
  command.add_option("--target", options->files.target, "Translations, one per source line")
      ->required()
      ->type_name("FILE");
  command.add_option("--output", options->output, "Write scores here (default -: standard output)")
      ->type_name("FILE");
  add_pair_batch_options(command, options->batch);
  add_common_options(command, options->common);
  command.footer(
      "Prints the natural logarithm of p(target | source) of each pair, summed over the target\n"
      "pieces and the end symbol. Lines longer than data.max_length are scored whole, up to\n"
      "20,000 pieces (translate and align cut them).\n\n"
      "Example:\n"
      "  attend score --model runs/quickstart --source data/quickstart/test.en "
      "--target data/quickstart/test.de");
  command.callback([options] { run_score(*options); });
}

}  // namespace attend::cli
