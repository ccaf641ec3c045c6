#include "app/explain/function_word_choice.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/lines/text_lines.h"
#include "app/model/languages.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {

namespace {

FunctionWordChoice built_in(const std::string& language) {
  return {metrics::FunctionWords(metrics::function_words_of(language)),
          fmt::format("built-in list for {}", language)};
}

FunctionWordChoice from_file(const std::string& file) {
  const std::vector<std::string> words = read_lines(file).lines;
  check_not_empty(file, words.size());
  return {metrics::FunctionWords(words), fmt::format("the words of {}", file)};
}

FunctionWordChoice most_frequent(const std::vector<std::string>& lines) {
  metrics::WordCounts counts;
  for (const std::string& line : lines) counts.add(line);
  return {metrics::FunctionWords(counts.most_frequent(kFrequentWords)),
          fmt::format("the {} most frequent words of the target text", kFrequentWords)};
}

}  // namespace

FunctionWordChoice choose_function_words(const std::string& given, const LoadedModel& model,
                                         const std::vector<std::string>& lines) {
  if (given.empty()) {
    const std::string name = model.directory.filename().string();
    const std::string language = languages_of(name, model).target;
    return metrics::function_words_of(language).empty() ? most_frequent(lines) : built_in(language);
  }
  if (!metrics::function_words_of(given).empty()) return built_in(given);
  if (std::filesystem::exists(given)) return from_file(given);
  const auto languages = metrics::function_word_languages();
  throw UsageError(fmt::format(
      "{} {}: no such file, and no language with a built-in list{} (languages: {})",
      option_name("function-words"), given, did_you_mean(given, languages), join(languages)));
}

}  // namespace attend::app
