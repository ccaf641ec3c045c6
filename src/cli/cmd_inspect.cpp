#include "cli/cmd_inspect.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/common_options.h"
#include "cli/inspection.h"
#include "cli/loaded_model.h"
#include "cli/model_directory.h"
#include "config/print.h"
#include "core/file.h"
#include "model/weights_file.h"

namespace attend::cli {

namespace {

struct InspectCommand {
  LogOptions log;
  std::string directory;
};

std::string overview(const LoadedModel& loaded) {
  const auto bytes = std::filesystem::file_size(loaded.weights_file);
  std::string text = fmt::format(
      "model       {}\nweights     {} ({})\nvocabulary  source {}, target {}{}\n",
      loaded.directory.string(), loaded.weights_file.filename().string(), with_unit(bytes),
      with_commas(loaded.source->size()), with_commas(loaded.target->size()),
      loaded.source == loaded.target ? " (joint)" : "");
  for (const auto& [key, value] : model::load_metadata(loaded.weights_file)) {
    text += fmt::format("{:<11} {}\n", key, value);
  }
  return text;
}

std::string parameters(const LoadedModel& loaded) {
  const auto weights = model::weights_of(*loaded.model);
  int64_t total = 0;
  for (const auto& [name, tensor] : weights) total += tensor.numel();
  std::string text = fmt::format("\n{:<36} {:>13}\n", "parameters", with_commas(total));
  for (const auto& block : block_sizes(weights)) {
    const bool part = block.name.find('.') != std::string::npos;
    text += fmt::format("  {:<34} {:>13}  {:5.1f} %\n", (part ? "  " : "") + block.name,
                        with_commas(block.parameters),
                        100.0 * static_cast<double>(block.parameters) / static_cast<double>(total));
  }
  return text;
}

void run_inspect(const InspectCommand& command) {
  set_up_log(command.log);
  const auto loaded = load_model(command.directory, torch::kCPU);
  const auto history = history_table(loaded.directory / model_directory::kHistory);
  OutputFile output("-");
  output.write(overview(loaded));
  output.write(parameters(loaded));
  if (!history.empty()) output.write("\nvalidations\n" + history);
  output.write("\nconfig\n" + config::to_yaml(loaded.experiment, loaded.directory));
  output.commit();
}

}  // namespace

void add_inspect(CLI::App& command) {
  const auto options = std::make_shared<InspectCommand>();
  command.add_option("DIR", options->directory, "Model directory")->required()->type_name("DIR");
  add_log_options(command, options->log);
  command.footer("Example:\n  attend inspect runs/quickstart");
  command.callback([options] { run_inspect(*options); });
}

}  // namespace attend::cli
