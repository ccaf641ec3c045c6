#include "app/run/initial_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/model/output_directory.h"
#include "app/model/shared_tokenizers.h"
#include "config/print.h"
#include "core/error.h"
#include "core/log.h"
#include "storage/model_folder.h"
#include "text/tokenizer.h"

namespace attend::app {
namespace {

/// Throws ConfigError if the model to start from writes in the other direction.
void check_direction(const Experiment& experiment, const Experiment& trained) {
  const bool reversed = experiment.data.reverse_target;
  if (trained.data.reverse_target == reversed) return;
  throw ConfigError(fmt::format(
      "data.reverse_target: {}, but the model to start from (training.init_from: {}) has {}; set "
      "the same value, or start from another model",
      reversed, experiment.training.init_from, !reversed));
}

/// Warns if only one of the two models lower-cases its text: training then meets untrained pieces.
void warn_of_other_case(const Experiment& experiment, const Experiment& trained) {
  if (trained.data.lowercase == experiment.data.lowercase) return;
  log::warning(
      "data.lowercase: {}, but the model to start from (training.init_from: {}) has {}, so it "
      "meets pieces that it was not trained on",
      experiment.data.lowercase, experiment.training.init_from, trained.data.lowercase);
}

/// Compares pieces, not only sizes, because each row of the embeddings belongs to a piece.
void check_pieces(const Experiment& experiment) {
  const std::string& start = experiment.training.init_from;
  const std::vector<std::string> theirs = tokenizer_files(start);
  const std::vector<std::string>& given = experiment.tokenizer.model;
  const auto same = [](const std::string& a, const std::string& b) {
    return same_pieces(text::Tokenizer(a, false), text::Tokenizer(b, false));
  };
  for (const auto& [theirs_of_side, given_of_side] :
       {std::pair{theirs.front(), given.front()}, std::pair{theirs.back(), given.back()}}) {
    if (same(theirs_of_side, given_of_side)) continue;
    throw ModelFileError(
        start, fmt::format("its vocabulary differs from that of tokenizer.model ({}), so its "
                           "weights would belong to other pieces; leave tokenizer.model out to "
                           "keep the tokenizer of the model to start from (training.init_from)",
                           given_of_side));
  }
}

/// Warns about keys that the adopted tokenizer overrides.
void warn_of_overridden(const Experiment& given, const Experiment& adopted,
                        const config::SetAt& set_at) {
  for (const std::string& key : config::differences(given, adopted)) {
    const auto place = set_at.find(key);
    if (place == set_at.end() || key == "tokenizer.model") continue;
    log::warning(
        "{}: {}: {} has no effect, because training keeps the tokenizer of the model that it "
        "starts from, which has {} (training.init_from); leave the key out",
        config::to_string(place->second), key, config::value_of(given, key),
        config::value_of(adopted, key));
  }
}

}  // namespace

void adopt_tokenizers(Experiment& experiment, const config::SetAt& set_at) {
  const std::filesystem::path start = experiment.training.init_from;
  if (start.empty()) return;
  const auto weights = start / storage::model_folder::kBestWeights;
  if (!std::filesystem::exists(weights))
    throw ModelFileError(weights, "no such weights to start from (training.init_from)");
  auto trained = config::load_trained<Experiment>(start / storage::model_folder::kConfig);
  check_direction(experiment, trained);
  warn_of_other_case(experiment, trained);
  if (!experiment.tokenizer.model.empty()) return check_pieces(experiment);
  trained.tokenizer.model = tokenizer_files(start);
  trained.tokenizer.joint = trained.tokenizer.model.size() == 1;
  Experiment adopted = experiment;
  keep_tokenizer(trained, adopted);
  warn_of_overridden(experiment, adopted, set_at);
  experiment = std::move(adopted);
}

void keep_tokenizer(const Experiment& trained, Experiment& experiment) {
  const double sampling = experiment.tokenizer.sampling;
  experiment.tokenizer = trained.tokenizer;
  experiment.tokenizer.sampling = sampling;
}

}  // namespace attend::app
