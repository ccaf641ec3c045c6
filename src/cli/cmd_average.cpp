#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/run/average_models.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "core/error.h"
#include "core/log.h"

namespace attend::cli {
namespace {

struct AverageCommand {
  LogOptions log;
  app::AverageOptions average;
};

void check(const app::AverageOptions& options) {
  const bool snapshots = options.best + options.last > 0;
  if (snapshots && options.models.size() != 1) {
    throw UsageError("--best and --last take the snapshots of one model folder; name one");
  }
  if (!snapshots && options.models.size() < 2) {
    throw UsageError("an average needs two models or more, or --best N or --last N");
  }
  if (std::filesystem::exists(options.output)) {
    throw UsageError(fmt::format("--output {}: it exists; name a new folder for the average",
                                 options.output.string()));
  }
}

void run_average(const AverageCommand& command) {
  set_up_log(command.log);
  check(command.average);
  const auto files = app::average_models(command.average);
  for (const auto& file : files) log::info("averaged {}", file.string());
  log::info("the average of {} is in {}", files.size(), command.average.output.string());
}

}  // namespace

void add_average(CLI::App& command) {
  const auto options = std::make_shared<AverageCommand>();
  command
      .add_option("MODEL", options->average.models,
                  "Model folders to average, or one with snapshots")
      ->required()
      ->type_name("DIR");
  command
      .add_option("--output", options->average.output, "Folder for the average, which must be new")
      ->required()
      ->type_name("DIR");
  auto* best = command
                   .add_option("--best", options->average.best,
                               "Average the N best snapshots of the folder (see training.keep)")
                   ->check(at_least(1))
                   ->type_name("N");
  command.add_option("--last", options->average.last, "Average its N last snapshots")
      ->check(at_least(1))
      ->excludes(best)
      ->type_name("N");
  add_log_options(command, options->log);
  command.footer(
      "Snapshots of one run, and models that went on from one (training.init_from), have a mean "
      "that\n"
      "is a model. Runs of their own do not: give those to translate together, --model A --model "
      "B.\n\n"
      "Example:\n"
      "  attend train configs/quickstart.yaml --output runs/kept --set training.keep.best=4\n"
      "  attend average --output runs/average --best 4 runs/kept");
  command.callback([options] { run_average(*options); });
}

}  // namespace attend::cli
