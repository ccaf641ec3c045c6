#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/export/export_model.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "core/error.h"
#include "core/log.h"

namespace attend::cli {
namespace {

struct ExportCommand {
  LogOptions log;
  std::optional<app::ExportFormat> format;
  app::ExportRequest request;
};

void check(const app::ExportRequest& request) {
  const bool needs_languages = request.format == app::ExportFormat::argos;
  const app::PackageLanguages& languages = request.languages;
  if (needs_languages && (languages.from.empty() || languages.to.empty()))
    throw UsageError("--format argos needs --from-language and --to-language");
  if (!needs_languages && !(languages.from.empty() && languages.to.empty()))
    throw UsageError(fmt::format(
        "--from-language and --to-language are for --format argos; {} does not store them",
        request.format));
}

void run_export(const ExportCommand& command) {
  app::ExportRequest request = command.request;
  request.format = command.format.value();
  check_log_file(command.log, {request.output}, {});
  set_up_log(command.log);
  check(request);
  app::export_model(request);
  log::info("wrote {} to {}", request.model, request.output.string());
}

}  // namespace

void add_export(CLI::App& command) {
  const auto options = std::make_shared<ExportCommand>();
  command.add_option("--model", options->request.model, "Export this model folder")
      ->required()
      ->type_name("DIR");
  add_choice(command, "--format", options->format,
             "Write for this program:" + enum_meanings<app::ExportFormat>())
      ->required()
      ->option_text("FORMAT");
  command.add_option("--output", options->request.output, "Write this folder, or file for argos")
      ->required()
      ->type_name("PATH");
  command.add_flag("--overwrite", options->request.overwrite, "Replace an earlier export");
  command
      .add_option("--from-language", options->request.languages.from,
                  "argos: code of the source language")
      ->option_text("CODE");
  command
      .add_option("--to-language", options->request.languages.to,
                  "argos: code of the target language")
      ->option_text("CODE");
  add_log_options(command, options->log);
  command.footer(
      "A model that the format cannot express is refused, with the keys to train with instead.\n\n"
      "Example:\n"
      "  attend export --model runs/transformer --format ctranslate2 --output "
      "runs/transformer.ct2\n"
      "  attend export --model runs/transformer --format argos --from-language en --to-language de "
      "\\\n    --output en_de.argosmodel");
  command.callback([options] { run_export(*options); });
}

}  // namespace attend::cli
