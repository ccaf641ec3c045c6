#include "app/config/missing_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "config/problems.h"
#include "config/section.h"
#include "core/closest_name.h"
#include "core/error.h"

namespace attend::app {
namespace {

/// A file, and the key of the config that names it.
struct Named {
  std::string key;
  std::string path;
};

void add_text(const data::ExampleFiles& files, const std::string& section,
              std::vector<Named>& named) {
  for (const config::NamedPath& source : files.sources)
    named.push_back({config::dotted(section, "source"), source.path});
  if (!files.target.empty()) named.push_back({config::dotted(section, "target"), files.target});
}

std::vector<Named> files_of_config(const Experiment& experiment) {
  std::vector<Named> named;
  const auto& train = experiment.data.train;
  for (std::size_t i = 0; i < train.size(); ++i)
    add_text(train[i], train.size() == 1 ? "data.train" : config::indexed("data.train", i), named);
  add_text(experiment.data.dev, "data.dev", named);
  for (const std::string& links : experiment.training.guided_alignment.links)
    named.push_back({"training.guided_alignment.links", links});
  for (const std::string& links : experiment.data.terms.links)
    named.push_back({"data.terms.links", links});
  return named;
}

bool is_missing(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

config::Problem problem_of(const Named& file, const config::Loaded<Experiment>& loaded) {
  const auto place = loaded.set_at.find(file.key);
  const bool is_known = place != loaded.set_at.end();
  const bool typed = is_known && place->second.source->is_command_line;
  return {is_known ? place->second : config::Place{}, file.key, "no such file: " + file.path,
          typed ? "paths in --set are relative to the working directory"
                : "paths in a config are relative to its folder"};
}

}  // namespace

std::vector<std::string> input_files(const Experiment& experiment) {
  std::vector<std::string> files;
  for (Named& file : files_of_config(experiment)) files.push_back(std::move(file.path));
  return files;
}

void check_files_are_there(const config::Loaded<Experiment>& loaded) {
  std::vector<std::string> messages;
  for (const Named& file : files_of_config(loaded.options)) {
    if (!is_missing(file.path)) continue;
    const config::Problem problem = problem_of(file, loaded);
    messages.push_back(problem.place.source ? config::to_string(problem)
                                            : fmt::format("{}: {}", file.key, problem.message));
  }
  if (!messages.empty()) throw DataError(join(messages, "\n"));
}

}  // namespace attend::app
