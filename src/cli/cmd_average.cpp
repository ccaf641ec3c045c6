#include "cli/cmd_average.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment.h"
#include "app/output_directory.h"
#include "cli/common_options.h"
#include "config/load.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"
#include "train/snapshots.h"

namespace attend::cli {
namespace {

using std::filesystem::path;

struct AverageCommand {
  LogOptions log;
  std::string output;
  int64_t best = 0;
  int64_t last = 0;
  std::vector<std::string> models;
};

/// The files to average, and the directory whose config and tokenizers the result gets.
struct Inputs {
  std::vector<path> files;
  path directory;
};

void check(const AverageCommand& command) {
  const bool snapshots = command.best + command.last > 0;
  if (snapshots && command.models.size() != 1) {
    throw UsageError("--best and --last take the snapshots of one model folder; name one");
  }
  if (!snapshots && command.models.size() < 2) {
    throw UsageError("an average needs two models or more, or --best N or --last N");
  }
  if (std::filesystem::exists(command.output)) {
    throw UsageError(
        fmt::format("--output {}: it exists; name a new folder for the average", command.output));
  }
}

std::vector<path> chosen_snapshots(const AverageCommand& command) {
  const path directory = command.models.front();
  const auto wanted = static_cast<std::size_t>(std::max(command.best, command.last));
  const std::vector<train::Snapshot> all = train::list_snapshots(directory);
  std::vector<path> files;
  for (const train::Snapshot& snapshot :
       train::choose_snapshots(all, {command.last, command.best})) {
    files.push_back(snapshot.file);
  }
  if (files.size() < wanted) {
    throw ModelFileError(directory,
                         fmt::format("{} snapshots were asked for, but there are {}; training "
                                     "keeps them with training.keep or training.average",
                                     wanted, all.size()));
  }
  return files;
}

Inputs inputs_of(const AverageCommand& command) {
  if (command.best + command.last > 0) return {chosen_snapshots(command), command.models.front()};
  Inputs inputs{{}, command.models.front()};
  for (const std::string& model : command.models) {
    inputs.files.push_back(path(model) / storage::model_folder::kBestWeights);
  }
  return inputs;
}

/// Averages only make sense where the same number means the same piece.
void check_tokenizers(const std::vector<std::string>& models) {
  const auto contents = [](const path& directory) {
    std::vector<std::string> bytes;
    for (const std::string& file : app::tokenizer_files(directory))
      bytes.push_back(read_file(file));
    return bytes;
  };
  const auto first = contents(models.front());
  for (const std::string& model : models) {
    if (contents(model) == first) continue;
    throw ModelFileError(model, fmt::format("its vocabulary is not that of {}; only models with "
                                            "one vocabulary can be averaged",
                                            models.front()));
  }
}

void run_average(const AverageCommand& command) {
  set_up_log(command.log);
  check(command);
  check_tokenizers(command.models);
  const Inputs inputs = inputs_of(command);
  const auto experiment =
      config::load<app::Experiment>(inputs.directory / storage::model_folder::kConfig);
  const auto weights = train::average_weights(inputs.files);
  std::vector<std::string> tokenizer_models;
  for (const std::string& file : app::tokenizer_files(inputs.directory)) {
    tokenizer_models.push_back(read_file(file));
  }
  app::start_directory(command.output, experiment, tokenizer_models);
  storage::save_tensors(path(command.output) / storage::model_folder::kBestWeights,
                        {weights, {{"averaged", fmt::format("{}", inputs.files.size())}}});
  for (const path& file : inputs.files) log::info("averaged {}", file.string());
  log::info("the average of {} is in {}", inputs.files.size(), command.output);
}

}  // namespace

void add_average(CLI::App& command) {
  const auto options = std::make_shared<AverageCommand>();
  command.add_option("MODEL", options->models, "Model folders to average, or one with snapshots")
      ->required()
      ->type_name("DIR");
  command.add_option("--output", options->output, "Folder for the average, which must be new")
      ->required()
      ->type_name("DIR");
  auto* best = command
                   .add_option("--best", options->best,
                               "Average the N best snapshots of the folder (see training.keep)")
                   ->check(CLI::PositiveNumber.description(""))
                   ->type_name("N");
  command.add_option("--last", options->last, "Average its N last snapshots")
      ->check(CLI::PositiveNumber.description(""))
      ->excludes(best)
      ->type_name("N");
  add_log_options(command, options->log);
  command.footer(
      "Example:\n  attend average --output runs/average --best 4 runs/quickstart\n"
      "  attend average --output runs/average runs/seed1 runs/seed2");
  command.callback([options] { run_average(*options); });
}

}  // namespace attend::cli
