#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/runs/file_stamp.h"

namespace attend::server {

/// A line of type "train". Here and below, NaN stands for a missing value.
struct TrainPoint {
  int64_t update = 0;
  double loss = 0.0;  ///< nats per token
  double learning_rate = 0.0;
  double tokens_per_second = 0.0;
};

/// A line of type "validation".
struct ValidationPoint {
  int64_t update = 0;
  double loss = 0.0;  ///< nats per token
  double bleu = 0.0;
};

/// The best validation so far.
struct BestValidation {
  const char* metric = "loss";  ///< or "bleu"
  double value = 0.0;
  int64_t update = 0;
};

/// The readable part of a history.
struct RunCurves {
  std::vector<TrainPoint> train;
  std::vector<ValidationPoint> validation;
  std::optional<BestValidation> best;
  int64_t updates = 0;     ///< update of the last line
  int64_t unreadable = 0;  ///< lines that training does not write
};

/// The train.jsonl of a run, which may grow. Caches what it has read, so that refresh() reads only
/// what was appended. Incomplete lines are ignored until they are complete.
class RunHistory {
 public:
  explicit RunHistory(std::filesystem::path file);

  /// Reads from the end of the last refresh, or from the beginning if the file was replaced: a
  /// resumed run writes its history again.
  void refresh();

  [[nodiscard]] const RunCurves& curves() const { return curves_; }
  /// The error that stopped reading; empty if there was none.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void forget();
  void read(const FileStamp& now);
  [[nodiscard]] bool is_continued(std::istream& file, const FileStamp& now) const;
  void take_lines(std::string_view bytes, std::string& rest);

  std::filesystem::path file_;
  std::optional<FileStamp> seen_;  // before the last reading
  RunCurves curves_;
  std::uintmax_t read_ = 0;  // bytes of complete lines
  std::string tail_;         // the last of these bytes
  std::string problem_;
};

}  // namespace attend::server
