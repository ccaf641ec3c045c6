#pragma once
#include <filesystem>

#include "model/seq2seq.h"
#include "train/observer.h"

namespace attend::train {

/// Writes the current weights with the progress of the run. Throws DataError.
void save_weights(const std::filesystem::path& file, const model::Seq2Seq& model,
                  const RunPoint& point);

/// The same with the result of a validation (`score`: larger is better).
void save_weights(const std::filesystem::path& file, const model::Seq2Seq& model,
                  const ValidationReport& report, double score);

}  // namespace attend::train
