#include "app/export/export_model.h"

#include <fmt/format.h>

#include "app/export/ctranslate2_model.h"
#include "app/export/torch_model.h"
#include "app/export/zip_archive.h"
#include "app/model/loaded_model.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

void check_archive(const ExportRequest& request) {
  const std::filesystem::path& file = request.output;
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{} {}: {}", option_name("output"), file.string(), why));
  };
  std::error_code error;
  if (std::filesystem::equivalent(std::filesystem::absolute(file).parent_path(), request.model,
                                  error))
    refuse("lies in the model folder; give another file");
  if (!std::filesystem::exists(file, error)) return;
  if (std::filesystem::is_directory(file, error)) refuse("is a folder; give a file");
  if (request.overwrite && is_argos_package(file)) return;
  if (request.overwrite) refuse("is not a package of Argos Translate; give another file");
  refuse(fmt::format("the file exists; replace it ({}) or give another file",
                     option_name("overwrite")));
}

void warn_of_lower_case(const LoadedModel& loaded) {
  if (!loaded.experiment.data.lowercase) return;
  log::warning(
      "the model reads lower-cased text (data.lowercase): lower-case it before SentencePiece");
}

}  // namespace

void export_model(const ExportRequest& request) {
  const bool is_archive = request.format == ExportFormat::argos;
  if (is_archive) {
    check_archive(request);
  } else {
    check_export_folder(request.output, request.overwrite);
  }
  const LoadedModel loaded = load_model(request.model, torch::kCPU);
  if (is_archive) {
    write_file_atomically(request.output, zip_archive(argos_files(loaded, request.languages)));
    return;
  }
  const std::vector<ExportedFile> files = request.format == ExportFormat::torch
                                              ? torch_files(loaded)
                                              : ctranslate2_files(loaded, "ctranslate2");
  write_export_folder(request.output, files, request.overwrite);
  warn_of_lower_case(loaded);
}

}  // namespace attend::app
