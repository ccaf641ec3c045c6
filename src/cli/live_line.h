#pragma once
#include <string>

namespace attend::cli {

/// A line at the bottom of a terminal, on standard error, that is written again and again and makes
/// way for what is logged. Not more than one object may live at a time.
class LiveLine {
 public:
  /// Where it is not `wanted`, or standard error is no terminal, there is none.
  explicit LiveLine(bool wanted);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  [[nodiscard]] bool exists() const { return exists_; }
  /// Seconds after which it is written anew.
  static constexpr double kSeconds = 0.25;
  /// Shows as much of `text` as fits. Requires: exists().
  void show(std::string text) const;

 private:
  bool exists_;
};

}  // namespace attend::cli
