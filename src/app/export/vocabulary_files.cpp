#include "app/export/vocabulary_files.h"

#include <nlohmann/json.hpp>

#include "app/model/output_directory.h"
#include "app/model/shared_tokenizers.h"
#include "core/file.h"

namespace attend::app {
namespace {

ExportedFile vocabulary(const char* side, const text::Tokenizer& tokenizer) {
  nlohmann::json pieces = nlohmann::json::array();
  for (text::TokenId id = 0; id < tokenizer.size(); ++id) pieces.push_back(tokenizer.piece(id));
  return {std::string(side) + "_vocabulary.json", pieces.dump(1) + "\n"};
}

}  // namespace

std::vector<ExportedFile> vocabulary_files(const LoadedModel& loaded) {
  std::vector<ExportedFile> files;
  for (const std::string& file : tokenizer_files(loaded.directory))
    files.push_back({std::filesystem::path(file).filename().string(), read_file(file)});
  if (same_pieces(*loaded.source, *loaded.target)) {
    files.push_back(vocabulary("shared", *loaded.source));
    return files;
  }
  files.push_back(vocabulary("source", *loaded.source));
  files.push_back(vocabulary("target", *loaded.target));
  return files;
}

}  // namespace attend::app
