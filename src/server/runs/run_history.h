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

/// Of a line of type "train". Here and below NaN stands for what a line does not tell.
struct TrainPoint {
  int64_t update = 0;
  double loss = 0.0;  ///< nats a token
  double learning_rate = 0.0;
  double tokens_per_second = 0.0;
};

/// Of a line of type "validation".
struct ValidationPoint {
  int64_t update = 0;
  double loss = 0.0;  ///< nats a token
  double bleu = 0.0;
};

/// The validation that was the best so far when it was made.
struct BestValidation {
  const char* metric = "loss";  ///< or "bleu"
  double value = 0.0;
  int64_t update = 0;
};

/// What can be read of a history, whoever has written to it.
struct RunCurves {
  std::vector<TrainPoint> train;
  std::vector<ValidationPoint> validation;
  std::optional<BestValidation> best;
  int64_t updates = 0;     ///< of the last line
  int64_t unreadable = 0;  ///< lines that training does not write
};

/// The train.jsonl of a run, which may grow. Keeps what it has read, so that looking again costs no
/// more than what was appended. A line counts when it is complete.
class RunHistory {
 public:
  explicit RunHistory(std::filesystem::path file);

  /// Reads on from where the last look ended, or all anew where the file is no longer the one that
  /// grew: a resumed run begins with writing it again.
  void look();

  [[nodiscard]] const RunCurves& curves() const { return curves_; }
  /// Why it was not read to its end; empty: it was.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void forget();
  void read(const FileStamp& now);
  [[nodiscard]] bool goes_on(std::istream& file, const FileStamp& now) const;
  void take_lines(std::string_view bytes, std::string& rest);

  std::filesystem::path file_;
  std::optional<FileStamp> seen_;  // before it was read last
  RunCurves curves_;
  std::uintmax_t read_ = 0;  // bytes, of complete lines
  std::string tail_;         // the last of these
  std::string problem_;
};

}  // namespace attend::server
