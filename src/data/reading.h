#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/options.h"

namespace attend::data {

/// How far something has come that goes through the lines of a text.
struct ReadingProgress {
  const char* what = "";  ///< is done with the text: "cutting the text into pieces"
  int64_t lines = 0;      ///< of the text (pairs) that are done with
  double share = 0.0;     ///< of the whole text, 0 .. 1, by the bytes of its files
  double seconds = 0.0;   ///< since the beginning
};

/// How a training text is read.
struct Reading {
  int64_t threads = 1;  ///< that cut text into pieces; the result does not depend on them
  std::function<void(const ReadingProgress&)> report = {};  ///< after every portion; may be empty
};

/// Tells how the reading of texts goes on.
class ReadingMeter {
 public:
  /// `what` as in ReadingProgress.
  ReadingMeter(const Reading& reading, const char* what, const std::vector<CorpusFiles>& texts);

  /// `bytes` of all files so far.
  void report(int64_t lines, int64_t bytes) const;
  /// What the texts before text number `text` have.
  [[nodiscard]] int64_t bytes_before(std::size_t text) const { return before_.at(text); }

 private:
  const Reading& reading_;
  const char* what_;
  std::vector<int64_t> before_;  // bytes before each text, and of all
  double start_;
};

}  // namespace attend::data
