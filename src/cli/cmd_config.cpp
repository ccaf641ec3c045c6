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

std::string text_of(const ConfigCommand& command) {
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
                  "Print this config with all defaults (default: explain every key)")
      ->type_name("FILE");
  add_set_option(command, options->overrides);
  command.footer("Example:\n  attend config configs/quickstart.yaml --set model.encoder.layers=2");
  command.callback([options] { run_config(*options); });
}

}  // namespace attend::cli
