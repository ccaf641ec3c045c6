#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/schema.h"
#include "core/named_enum.h"
#include "tests/support/temp_dir.h"

namespace attend::config::sample {

/// A small config with a field of every kind.
struct Files {
  std::string source;
  std::string target;
};

enum class Score { additive, dot, general };

constexpr auto name_table(Score) {
  return std::to_array<NamedValue<Score>>(
      {{Score::additive, "additive"}, {Score::dot, "dot"}, {Score::general, "general"}});
}

struct Encoder {
  int64_t layers = 1;
  bool residual = false;
};

struct Model {
  Score score = Score::additive;
  double dropout = 0.0;
  Encoder encoder;
};

struct Options {
  int64_t seed = 1;
  std::string title;
  std::vector<Files> train;
  std::vector<std::string> pieces;
  std::string output;
  double rate = 0.001;
  Model model;
};

inline void describe(Schema<Files>& schema) {
  schema.path("source", &Files::source, "Text to translate from.");
  schema.path("target", &Files::target, "Its translation.");
}

inline void describe(Schema<Encoder>& schema) {
  schema.integer("layers", &Encoder::layers, in_range(1, 16), "Stacked layers.");
  schema.flag("residual", &Encoder::residual, "Add each layer's input to its output.");
  schema.rule({"layers", "residual"}, [](const Encoder& encoder) -> std::string {
    return encoder.residual && encoder.layers < 2 ? "residual connections need 2 layers or more"
                                                  : "";
  });
}

inline void describe(Schema<Model>& schema) {
  schema.choice("score", &Model::score, "How states are compared.");
  schema.number("dropout", &Model::dropout, from_to_below(0.0, 1.0),
                "Probability of zeroing a value.");
  schema.section("encoder", &Model::encoder, "Reads the source.");
}

inline void describe(Schema<Options>& schema) {
  schema.integer("seed", &Options::seed, at_least(0), "Seed of everything random.");
  schema.text("title", &Options::title, "A name for the run.");
  schema.list("train", &Options::train, "Training text.");
  schema.paths("pieces", &Options::pieces, "Existing models.");
  schema.path("output", &Options::output, "Where to write.");
  schema.number("rate", &Options::rate, above(0.0), "Learning rate.");
  schema.section("model", &Options::model, "The network.");
}

/// Loads `yaml` from a file config.yaml in `dir`.
inline Options load_text(const test::TempDir& dir, std::string_view yaml,
                         std::vector<std::string> overrides = {}) {
  return load<Options>(dir.write("config.yaml", yaml), overrides);
}

/// The message of what `load` throws, with the folder's name removed; empty if it throws nothing.
template <class Load>
std::string message_of(const test::TempDir& dir, const Load& load) {
  try {
    load();
  } catch (const std::exception& error) {
    std::string message = error.what();
    const std::string folder = dir.path().string() + "/";
    for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
      message.erase(at, folder.size());
    return message;
  }
  return "";
}

/// The message of the error that loading `yaml` ends with.
inline std::string error_of(const test::TempDir& dir, std::string_view yaml,
                            std::vector<std::string> overrides = {}) {
  return message_of(dir, [&] { (void)load_text(dir, yaml, std::move(overrides)); });
}

}  // namespace attend::config::sample
