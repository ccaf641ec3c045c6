#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "config/load.h"
#include "config/print.h"
#include "core/file.h"

namespace attend::cli {

namespace {

struct ConfigCommand {
  std::string file;
  std::vector<std::string> overrides;
};

/// True if the argument names a key, such as training.schedule, and no file.
bool asks_for_key(const std::string& argument) {
  const std::filesystem::path path(argument);
  const bool like_file = argument.find('/') != std::string::npos || path.extension() == ".yaml" ||
                         path.extension() == ".yml";
  return !argument.empty() && !like_file && !std::filesystem::exists(path);
}

std::string text_of(const ConfigCommand& command) {
  if (asks_for_key(command.file))
    return config::explain<app::Experiment>(command.file, command.overrides);
  const auto loaded =
      config::load<app::Experiment>(command.file, command.overrides, config::Purpose::show);
  return command.file.empty() ? config::reference(loaded.options) : config::to_yaml(loaded);
}

void run_config(const ConfigCommand& command) {
  OutputFile output("-");
  output.write(text_of(command));
  output.commit();
}

}  // namespace

void add_config(CLI::App& command) {
  const auto options = std::make_shared<ConfigCommand>();
  command
      .add_option("CONFIG", options->file,
                  "Print this config with all defaults, or explain this key or section (default: "
                  "explain every key)")
      ->type_name("FILE|KEY");
  add_set_option(command, options->overrides);
  command.footer(
      "Example:\n  attend config configs/quickstart.yaml --set model.encoder.layers=2\n"
      "  attend config training.schedule");
  command.callback([options] { run_config(*options); });
}

}  // namespace attend::cli
