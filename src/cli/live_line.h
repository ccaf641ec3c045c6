#pragma once
#include <string>

namespace attend::cli {

/// A progress line at the bottom of a terminal, on standard error, rewritten in place and cleared
/// before log lines. At most one object may exist at a time.
class LiveLine {
 public:
  /// No line exists unless it is `wanted` and standard error is a terminal.
  explicit LiveLine(bool wanted);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  [[nodiscard]] bool exists() const { return exists_; }
  /// Seconds between two updates of the line.
  static constexpr double kSeconds = 0.25;
  /// Shows as much of `text` as fits. Requires: exists().
  void show(std::string text) const;

 private:
  bool exists_;
};

}  // namespace attend::cli
