#include "app/model/languages.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace attend::app {
namespace {

bool is_language(std::string_view code) {
  const auto is_lower = [](unsigned char c) { return std::islower(c) != 0; };
  return code.size() >= 2 && code.size() <= 3 && std::all_of(code.begin(), code.end(), is_lower);
}

std::string language_of(std::filesystem::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  const std::string extension = file.extension().string();
  return !extension.empty() && is_language(extension.substr(1)) ? extension.substr(1) : "";
}

}  // namespace

Languages languages_of(std::string_view name, const LoadedModel& model) {
  const std::size_t dash = name.find('-');
  if (dash != std::string_view::npos && is_language(name.substr(0, dash)) &&
      is_language(name.substr(dash + 1)))
    return {std::string(name.substr(0, dash)), std::string(name.substr(dash + 1))};
  const auto& corpora = model.experiment.data.train;
  if (corpora.empty()) return {};
  return {language_of(corpora.front().source()), language_of(corpora.front().target)};
}

}  // namespace attend::app
