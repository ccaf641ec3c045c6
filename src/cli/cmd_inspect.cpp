#include <memory>
#include <string>

#include "app/align/attention_report.h"
#include "app/model/inspection.h"
#include "app/model/loaded_model.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/start_runtime.h"
#include "core/file.h"

namespace attend::cli {

namespace {

struct InspectCommand {
  CommonOptions common;
  std::string directory;
  data::PairFiles files;  // both empty: no attention report
};

std::string report_of(const InspectCommand& command) {
  const runtime::Runtime runtime = start_runtime(command.common);
  const auto loaded = app::load_model(command.directory, runtime.device);
  if (command.files.source.empty()) return app::model_report(loaded);
  return app::attention_report(app::attention_survey(loaded, command.files));
}

void run_inspect(const InspectCommand& command) {
  check_log_file(command.common.log, {}, {command.files.source, command.files.target});
  const std::string report = report_of(command);
  OutputFile output("-");
  output.write(report);
  output.commit();
}

}  // namespace

void add_inspect(CLI::App& command) {
  const auto options = std::make_shared<InspectCommand>();
  command.add_option("DIR", options->directory, "Model folder")->required()->type_name("DIR");
  auto* source = command.add_option("--source", options->files.source,
                                    "Report the attention to these source sentences instead");
  auto* target =
      command.add_option("--target", options->files.target, "Translations, one per source line");
  source->needs(target)->option_text("FILE");
  target->needs(source)->option_text("FILE");
  add_common_options(command, options->common);
  command.footer(
      "Example:\n  attend inspect runs/quickstart\n"
      "  attend inspect runs/quickstart --source dev.src --target dev.tgt");
  command.callback([options] { run_inspect(*options); });
}

}  // namespace attend::cli
