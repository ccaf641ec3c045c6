#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/options.h"

namespace attend::data {

/// Progress of a pass over a text.
struct ReadingProgress {
  const char* what = "";  ///< the work: "tokenising the text"
  int64_t lines = 0;      ///< line pairs done
  double share = 0.0;     ///< share of the whole text done, 0 .. 1, in bytes of its files
  double seconds = 0.0;   ///< since the start
};

/// How a training text is read.
struct Reading {
  int64_t threads = 1;  ///< for tokenisation; the result does not depend on their number
  std::function<void(const ReadingProgress&)> report = {};  ///< called after every portion, if set
};

/// Reports the progress of reading texts.
class ReadingMeter {
 public:
  /// `what` as in ReadingProgress. Keeps a reference to `reading`.
  ReadingMeter(const Reading& reading, const char* what, const std::vector<CorpusFiles>& texts);

  /// `bytes`: the number read so far from all files.
  void report(int64_t lines, int64_t bytes) const;
  /// Bytes of all files of the texts before text number `text`.
  [[nodiscard]] int64_t bytes_before(std::size_t text) const { return before_.at(text); }

 private:
  const Reading& reading_;
  const char* what_;
  std::vector<int64_t> before_;  // bytes before each text, then of all texts
  double start_;
};

}  // namespace attend::data
