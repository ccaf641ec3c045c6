#pragma once
#include <cstdint>

#include "train/observer.h"
#include "train/options.h"

namespace attend::app {

/// Warns once if BLEU decides which weights are best, but stays 0 while the loss falls: then the
/// tokenizer does not fit the text, and validations are compared by their loss only.
class ZeroScoreWarning final : public train::TrainObserver {
 public:
  static constexpr int64_t kValidations = 3;  ///< number of validations that must all be 0

  explicit ZeroScoreWarning(const train::ValidationOptions& options) : options_(options) {}

  void on_validation(const train::ValidationReport& report) override;

 private:
  train::ValidationOptions options_;
  int64_t zeros_ = 0;        // validations so far, all of them 0
  double first_loss_ = 0.0;  // of the first
  bool judged_ = false;
};

}  // namespace attend::app
