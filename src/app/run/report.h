#pragma once
#include <filesystem>
#include <string>

#include "train/observer.h"

namespace attend::app {

/// Keeps report.html in a model directory up to date: curves of loss, BLEU, learning rate and speed
/// from the lines of train.jsonl, and sample translations with their attention, in one file that
/// needs no network. Rewrites it at every validation, and warns where it cannot: a page is no
/// reason to end a run.
class RunReport final : public train::TrainObserver {
 public:
  /// Takes over the sample translations of a page that is there. Throws DataError if that cannot be
  /// read.
  explicit RunReport(std::filesystem::path directory);

  void on_validation(const train::ValidationReport& report) override;
  /// Writes the page from what train.jsonl holds now.
  void write() const;

 private:
  std::filesystem::path directory_;
  std::string samples_;  // HTML: those of the last validation
};

}  // namespace attend::app
