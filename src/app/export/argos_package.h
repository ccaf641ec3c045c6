#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/export/exported_file.h"
#include "app/model/loaded_model.h"

namespace attend::app {

/// The languages of a package, as ISO 639 codes ("en").
struct PackageLanguages {
  std::string from;
  std::string to;
};

/// True if the file is a ZIP archive with a metadata.json in a folder.
[[nodiscard]] bool is_argos_package(const std::filesystem::path& file);

/// The files of an Argos Translate package (a ZIP archive named *.argosmodel; see IPackage in
/// argostranslate/package.py) in the folder translate-<from>_<to>: metadata.json, README.md,
/// sentencepiece.model of the source and a CTranslate2 model in model/. Argos segments and joins
/// text without our tokenizer, so lower-cased models are refused. Throws UsageError as
/// ctranslate2_files() does, and for an unknown language code.
[[nodiscard]] std::vector<ExportedFile> argos_files(const LoadedModel& loaded,
                                                    const PackageLanguages& languages);

}  // namespace attend::app
