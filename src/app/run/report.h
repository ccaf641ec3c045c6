#pragma once
#include <filesystem>
#include <string>

#include "train/observer.h"

namespace attend::app {

/// Writes report.html in a model directory at every validation: curves of loss, BLEU, learning rate
/// and speed from train.jsonl, and sample translations with their attention, in a single file that
/// needs no network. A failure to write it only logs a warning.
class RunReport final : public train::TrainObserver {
 public:
  /// Keeps the sample translations of an existing page. Throws DataError if it cannot be read.
  explicit RunReport(std::filesystem::path directory);

  void on_validation(const train::ValidationReport& report) override;
  /// Writes the page from the current train.jsonl.
  void write() const;

 private:
  std::filesystem::path directory_;
  std::string samples_;  // HTML of the samples of the last validation
};

}  // namespace attend::app
