#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/run/average_check.h"
#include "app/run/average_models.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/given_options.h"
#include "cli/start_runtime.h"
#include "core/error.h"
#include "core/log.h"

namespace attend::cli {
namespace {

struct AverageCommand {
  CommonOptions common;
  app::AverageOptions average;
  bool validate = false;
};

void check(const app::AverageOptions& options) {
  const bool snapshots = options.best + options.last > 0;
  if (snapshots && options.models.size() != 1) {
    throw UsageError("--best and --last average snapshots of one model folder; give one MODEL");
  }
  if (!snapshots && options.models.size() < 2) {
    throw UsageError("an average needs at least two models, or --best N or --last N");
  }
  if (std::filesystem::exists(options.output)) {
    throw UsageError(
        fmt::format("--output {}: already exists; give a new folder", options.output.string()));
  }
}

void report(const app::AverageCheck& check, const app::AverageOptions& options) {
  log::info("validation set: {} {:.4f} for the average, {:.4f} for the best of its models ({})",
            check.metric, check.average, check.best, check.best_file.string());
  if (check.lost())
    log::warning("the average lost on the validation set; use {} instead of {}",
                 check.best_file.string(), options.output.string());
}

void average(const app::AverageOptions& options, std::optional<c10::Device> device) {
  check(options);
  if (device) app::require_validation_set(options.models.front());
  const auto files = app::average_models(options);
  for (const auto& file : files) log::info("averaged {}", file.string());
  log::info("wrote the average of {} models to {}", files.size(), options.output.string());
  if (device) report(app::check_average(options.output, files, *device), options);
}

void run_average(const AverageCommand& command) {
  if (command.validate) return average(command.average, start_runtime(command.common).device);
  set_up_log(command.common.log);
  average(command.average, std::nullopt);
}

}  // namespace

void add_average(CLI::App& command) {
  const auto options = std::make_shared<AverageCommand>();
  command
      .add_option("MODEL", options->average.models,
                  "Average these model folders, or the snapshots of one")
      ->required()
      ->type_name("DIR");
  command.add_option("--output", options->average.output, "Write the average to this new folder")
      ->required()
      ->type_name("DIR");
  auto* best = command
                   .add_option("--best", options->average.best,
                               "Average the N best snapshots of MODEL (see training.keep)")
                   ->check(at_least(1))
                   ->option_text("N");
  command.add_option("--last", options->average.last, "Average the last N snapshots of MODEL")
      ->check(at_least(1))
      ->excludes(best)
      ->option_text("N");
  command.add_flag("--validate", options->validate,
                   "Compare the average with its models on data.dev of MODEL's config");
  add_common_options(command, options->common);
  command.footer(
      "Averaging works for snapshots of one run and for models that were fine-tuned from the same\n"
      "model (training.init_from). Combine independent runs as an ensemble instead:\n"
      "attend translate --model A --model B.\n\n"
      "Example:\n"
      "  attend train configs/quickstart.yaml --output runs/kept --set training.keep.best=4\n"
      "  attend average --output runs/average --best 4 runs/kept");
  command.callback([options, &command] {
    if (!options->validate)
      refuse_given(command, {"--device", "--threads", "--seed"}, "only --validate runs a model");
    run_average(*options);
  });
}

}  // namespace attend::cli
