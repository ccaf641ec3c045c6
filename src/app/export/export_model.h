#pragma once
#include <array>
#include <filesystem>
#include <string>

#include "app/export/argos_package.h"
#include "core/named_enum.h"

namespace attend::app {

/// The programs that an exported model is for.
enum class ExportFormat { argos, ctranslate2, torch };

constexpr auto name_table(ExportFormat) {
  return std::to_array<NamedValue<ExportFormat>>(
      {{ExportFormat::argos, "argos", "a package of Argos Translate and LibreTranslate (a file)"},
       {ExportFormat::ctranslate2, "ctranslate2", "a model of CTranslate2 (a folder)"},
       {ExportFormat::torch, "torch", "weights and a program for PyTorch (a folder)"}});
}

/// A request to write a model in the format of another program.
struct ExportRequest {
  std::string model;  ///< the model folder
  ExportFormat format = ExportFormat::ctranslate2;
  std::filesystem::path output;
  PackageLanguages languages;  ///< argos only
  bool overwrite = false;      ///< replace an earlier export
};

/// Loads the model and writes its export. Throws ModelFileError as load_model(), UsageError for an
/// existing output and for a model that the format cannot express; the message lists the keys of a
/// model that it could.
void export_model(const ExportRequest& request);

}  // namespace attend::app
