#include "data/options.h"

#include <algorithm>

namespace attend::data {
namespace {

std::string half_given(const PairFiles& files) {
  if (files.source.empty() == files.target.empty()) return "";
  return files.source.empty() ? "target is given, but source is not"
                              : "source is given, but target is not";
}

std::string no_training_text(const DataOptions& options) {
  const bool missing =
      options.train.empty() || std::any_of(options.train.begin(), options.train.end(),
                                           [](const auto& f) { return f.empty(); });
  return missing ? "no training text; give {source: FILE, target: FILE}, or a list of these" : "";
}

std::string ratio_below_one(const DataOptions& options) {
  const bool wrong = options.max_ratio != 0.0 && options.max_ratio < 1.0;
  return wrong ? "a longer side is at least 1 times its shorter one; give 1 or more, or 0 for no "
                 "limit"
               : "";
}

}  // namespace

void describe(config::Schema<PairFiles>& schema) {
  schema.path("source", &PairFiles::source,
              "Text to translate from, one sentence per line; plain or gzip.");
  schema.path("target", &PairFiles::target, "Its translation, line by line.");
  schema.rule({"source", "target"}, half_given);
}

void describe(config::Schema<DataOptions>& schema) {
  schema.list("train", &DataOptions::train, "Training text: a pair of files, or a list of pairs.");
  schema.section("dev", &DataOptions::dev, "Text for validation; none: no validation.");
  schema.integer("max_length", &DataOptions::max_length, config::in_range<int64_t>(1, 1'000'000),
                 "Most pieces per side: longer training pairs are skipped, longer input is cut.");
  schema.number(
      "max_ratio", &DataOptions::max_ratio, config::at_least(0.0),
      "Training pairs of which one side has more than this many times the pieces of the other are "
      "skipped; 0 keeps them all.");
  schema.flag("lowercase", &DataOptions::lowercase, "Lower-case all text, source and target.");
  schema.choice("storage", &DataOptions::storage, {"memory", "mmap"},
                "Where the token ids of the training text are kept: in memory, or in a file mapped "
                "into it, for text that memory does not hold. The file is made beside the model "
                "folder without a name, and vanishes with the run. Both train the same.");
  schema.requirement({"train"}, no_training_text);
  schema.rule({"max_ratio"}, ratio_below_one);
}

}  // namespace attend::data
