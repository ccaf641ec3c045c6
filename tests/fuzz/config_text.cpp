// Config files read with the schema of a whole experiment. Text after "--set " also becomes an
// override.
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "config/load.h"
#include "config/print.h"
#include "core/error.h"
#include "core/utf8.h"
#include "tests/fuzz/support.h"

namespace {

namespace config = attend::config;
using attend::app::Experiment;
using attend::fuzz::require;

// Static, because building these takes longer than reading most inputs.
const config::Schema<Experiment>& schema() {
  static const auto made = config::schema_of<Experiment>();
  return made;
}
const std::vector<config::KeyInfo>& keys() {
  static const auto made = schema().keys();
  return made;
}

std::vector<std::string> overrides_in(std::string_view text) {
  constexpr std::string_view kMark = "--set ";
  std::vector<std::string> overrides;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
    at += kMark.size();
    overrides.emplace_back(text.substr(at, text.find('\n', at) - at));
  }
  return overrides;
}

/// Like config::load, but with the schema built once.
Experiment load(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  config::Reading reading;
  static const auto all_keys = config::dotted_keys(keys());
  reading.all_keys = all_keys;
  Experiment experiment;
  for (const config::Node& document : config::read_documents(file, overrides, reading))
    schema().read(document, "", reading, experiment);
  settle(experiment, reading.set_at);
  schema().check(experiment, "", reading);
  reading.problems.throw_if_any();
  return experiment;
}

std::string print(const Experiment& experiment) {
  return config::to_yaml(schema().write(experiment), keys(), {}, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static attend::fuzz::MemoryFile file;
  const std::string_view text = attend::fuzz::text_of(data, size);
  try {
    const Experiment experiment = load(file.holding(text), overrides_in(text));
    const std::string printed = print(experiment);
    require(print(load(file.holding(printed), {})) == printed, "a printed config loads again");
  } catch (const attend::ConfigError& error) {
    require(attend::utf8::is_valid(error.what()), "messages are well-formed UTF-8");
  }
  return 0;
}
