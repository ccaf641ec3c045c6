#pragma once
#include <filesystem>
#include <string>

#include "train/observer.h"

namespace attend::app {

/// Keeps report.html in a model folder up to date: curves of loss, BLEU, learning rate and speed
/// from train.jsonl, and sample translations with their attention, in one file without network
/// access. Rewrites it at every validation; only warns if it cannot.
class RunReport final : public train::TrainObserver {
 public:
  /// Keeps the sample translations of an existing page. Throws DataError if it cannot be read.
  explicit RunReport(std::filesystem::path directory);

  void on_validation(const train::ValidationReport& report) override;
  /// Writes the page from the current train.jsonl.
  void write() const;

 private:
  std::filesystem::path directory_;
  std::string samples_;  // HTML of the last validation's samples
};

}  // namespace attend::app
