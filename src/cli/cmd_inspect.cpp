#include "cli/cmd_inspect.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/attention_report.h"
#include "app/inspection.h"
#include "app/loaded_model.h"
#include "cli/common_options.h"
#include "config/print.h"
#include "core/excerpt.h"
#include "core/file.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"

namespace attend::cli {

namespace {

struct InspectCommand {
  LogOptions log;
  std::string directory;
  data::PairFiles files;  // both empty: no attention is looked at
};

std::string overview(const app::LoadedModel& loaded) {
  const auto bytes = std::filesystem::file_size(loaded.weights_file);
  std::string text = fmt::format(
      "model       {}\nweights     {} ({})\nvocabulary  source {}, target {}{}\n",
      loaded.directory.string(), loaded.weights_file.filename().string(), app::with_unit(bytes),
      app::with_commas(loaded.source->size()), app::with_commas(loaded.target->size()),
      loaded.source == loaded.target ? " (joint)" : "");
  for (const auto& [key, value] : storage::load_metadata(loaded.weights_file)) {
    text += fmt::format("{:<11} {}\n", escape_controls(key), escape_controls(value));
  }
  return text;
}

void inspect_attention(const InspectCommand& command, const app::LoadedModel& loaded) {
  OutputFile output("-");
  output.write(app::attention_report(app::attention_statistics(loaded, command.files)));
  output.commit();
}

void run_inspect(const InspectCommand& command) {
  set_up_log(command.log);
  const auto loaded = app::load_model(command.directory, torch::kCPU);
  if (!command.files.source.empty()) return inspect_attention(command, loaded);
  const auto history = app::history_table(loaded.directory / storage::model_folder::kHistory);
  OutputFile output("-");
  output.write(overview(loaded));
  output.write(app::parameter_table(storage::weights_of(*loaded.model)));
  if (!history.empty()) output.write("\nvalidations\n" + history);
  output.write("\nconfig\n" + config::to_yaml(loaded.experiment, loaded.directory));
  output.commit();
}

}  // namespace

void add_inspect(CLI::App& command) {
  const auto options = std::make_shared<InspectCommand>();
  command.add_option("DIR", options->directory, "Model directory")->required()->type_name("DIR");
  auto* source = command.add_option("--source", options->files.source,
                                    "Sentences: report how the model attends to them instead");
  auto* target =
      command.add_option("--target", options->files.target, "Their translations, line by line");
  source->type_name("FILE")->needs(target);
  target->type_name("FILE")->needs(source);
  add_log_options(command, options->log);
  command.footer(
      "Example:\n  attend inspect runs/quickstart\n"
      "  attend inspect runs/quickstart --source dev.src --target dev.tgt");
  command.callback([options] { run_inspect(*options); });
}

}  // namespace attend::cli
