#include "app/export/argos_package.h"

#include <fmt/format.h>
#include <unicode/locid.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/export/ctranslate2_model.h"
#include "core/error.h"
#include "core/option_name.h"
#include "storage/model_folder.h"

namespace attend::app {
namespace {

namespace names = storage::model_folder;

/// The English name of a language. Throws UsageError if ICU knows no language of this code.
std::string language_name(const std::string& code, const std::string& option) {
  const icu::Locale locale(code.c_str());
  icu::UnicodeString shown;
  std::string name;
  locale.getDisplayName(icu::Locale::getEnglish(), shown).toUTF8String(name);
  const bool is_known = !code.empty() && *locale.getLanguage() != '\0' && name != code &&
                        name != locale.getLanguage();
  if (is_known) return name;
  throw UsageError(fmt::format("{} {}: no such language; give a code of ISO 639 (example: en)",
                               option_name(option), code));
}

std::string metadata(const PackageLanguages& languages, const std::string& from_name,
                     const std::string& to_name) {
  const nlohmann::json metadata = {{"package_version", "1.0"},    {"argos_version", "1.9"},
                                   {"from_code", languages.from}, {"from_name", from_name},
                                   {"to_code", languages.to},     {"to_name", to_name}};
  return metadata.dump(2) + "\n";
}

}  // namespace

bool is_argos_package(const std::filesystem::path& file) {
  constexpr std::string_view kZip = "PK\x03\x04";
  constexpr std::streamoff kMostOfDirectory = 1 << 16;  // at the end of an archive: its file names
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string head(kZip.size(), '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!stream || head != kZip) return false;
  stream.seekg(0, std::ios::end);
  stream.seekg(std::max<std::streamoff>(0, stream.tellg() - kMostOfDirectory));
  const std::string names{std::istreambuf_iterator<char>(stream), {}};
  return names.find("/metadata.json") != std::string::npos;
}

std::vector<ExportedFile> argos_files(const LoadedModel& loaded,
                                      const PackageLanguages& languages) {
  const std::string from_name = language_name(languages.from, "from-language");
  const std::string to_name = language_name(languages.to, "to-language");
  std::vector<Obstacle> obstacles = ctranslate2_obstacles(loaded.experiment);
  need(obstacles, "data.lowercase", loaded.experiment.data.lowercase, {false});
  refuse(obstacles, "argos", loaded.directory);
  const std::string folder = fmt::format("translate-{}_{}/", languages.from, languages.to);
  std::vector<ExportedFile> files = {
      {folder + "metadata.json", metadata(languages, from_name, to_name)},
      {folder + "README.md",
       fmt::format("# {} to {}\n\nA Transformer trained with attend.\n", from_name, to_name)}};
  for (ExportedFile& file : ctranslate2_files(loaded, "argos")) {
    const bool is_source = file.name == names::kJointPieces || file.name == names::kSourcePieces;
    if (file.name == names::kTargetPieces) continue;
    files.push_back({folder + (is_source ? "sentencepiece.model" : "model/" + file.name),
                     std::move(file.content)});
  }
  return files;
}

}  // namespace attend::app
