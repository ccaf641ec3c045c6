#pragma once
#include <c10/core/Device.h>

#include <filesystem>
#include <string>
#include <vector>

namespace attend::app {

/// Scores of an average and of its members on the validation set, larger is better.
struct AverageCheck {
  std::string metric;               ///< "BLEU" or "negated loss"
  double average = 0.0;             ///< score of the average
  double best = 0.0;                ///< score of the best member
  std::filesystem::path best_file;  ///< its weights

  /// True if the average scores lower than its best member.
  [[nodiscard]] bool lost() const { return average < best; }
};

/// Throws UsageError if the config of the model in `directory` names no validation set.
void require_validation_set(const std::filesystem::path& directory);

/// Scores the model in `directory`, then the same model with each of the weights in `members`, by a
/// validation of its config (training.validation). Throws what load_model() throws, DataError if
/// the validation set cannot be read, and Stopped after a signal.
[[nodiscard]] AverageCheck check_average(const std::filesystem::path& directory,
                                         const std::vector<std::filesystem::path>& members,
                                         c10::Device device);

}  // namespace attend::app
