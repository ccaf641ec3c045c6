#pragma once
#include <filesystem>

#include "model/seq2seq.h"
#include "train/observer.h"

namespace attend::train {

/// Writes the weights as they are now, with where the run stands. Throws DataError.
void save_weights(const std::filesystem::path& file, const model::Seq2Seq& model,
                  const RunPoint& point);

/// The same, with what the weights reached in a validation (`score`: larger is better).
void save_weights(const std::filesystem::path& file, const model::Seq2Seq& model,
                  const ValidationReport& report, double score);

}  // namespace attend::train
