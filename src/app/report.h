#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/observer.h"

namespace attend::app {

/// The page of a run: curves of loss, BLEU, learning rate and speed from the lines of train.jsonl,
/// and sample translations with their attention. One file that needs no network.
[[nodiscard]] std::string report_page(const std::string& title,
                                      const std::vector<nlohmann::json>& history,
                                      const std::vector<train::Sample>& samples);

/// Keeps report.html in a model directory up to date: rewrites it at every validation,
/// warning where it cannot.
class RunReport final : public train::TrainObserver {
 public:
  /// Takes over the sample translations of a page that is there. Throws DataError if that cannot be
  /// read.
  explicit RunReport(std::filesystem::path directory);

  void on_validation(const train::ValidationReport& report) override;
  /// Writes the page from what train.jsonl holds now. Throws DataError.
  void write() const;

 private:
  std::filesystem::path directory_;
  std::string samples_;  // HTML: those of the last validation
};

}  // namespace attend::app
