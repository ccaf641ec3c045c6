#include "train/saving/saved_weights.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "storage/weights_file.h"

namespace attend::train {
namespace {

using Metadata = std::map<std::string, std::string>;

Metadata metadata_of(const RunPoint& point) {
  return {{"update", fmt::format("{}", point.update)}, {"epoch", fmt::format("{}", point.epochs)}};
}

Metadata metadata_of(const ValidationReport& report, double score) {
  Metadata metadata = metadata_of(report.point);
  metadata["loss"] = fmt::format("{}", report.result.loss);
  metadata["score"] = fmt::format("{}", score);
  if (report.result.bleu) metadata["bleu"] = fmt::format("{}", *report.result.bleu);
  return metadata;
}

}  // namespace

void save_weights(const std::filesystem::path& file, const model::Seq2Seq& model,
                  const RunPoint& point) {
  storage::save_tensors(file, {storage::weights_of(model), metadata_of(point)});
}

void save_weights(const std::filesystem::path& file, const model::Seq2Seq& model,
                  const ValidationReport& report, double score) {
  storage::save_tensors(file, {storage::weights_of(model), metadata_of(report, score)});
}

}  // namespace attend::train
