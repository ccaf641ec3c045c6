#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/lines/line_meter.h"

namespace attend::app {

/// A text to translate.
struct InputLine {
  std::string text;
  std::string prefix;            ///< text that its translation begins with; empty: none
  std::string constraints = {};  ///< JSON list of what its translation contains; empty: none
  int64_t number = 0;            ///< of the line that it is or is a part of, from 1
};

/// The texts that translate_lines() translates.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The next text, or nothing at the end.
  virtual std::optional<InputLine> next() = 0;
  /// True if next() would wait for input (an idle terminal or pipe).
  [[nodiscard]] virtual bool would_block() const = 0;
  /// The place after the texts returned so far; its `lines` is the number of these texts.
  [[nodiscard]] virtual LineMeter::Place place() const = 0;
  /// Logs what had to be changed in the input. Called at its end.
  virtual void warn_about_changes() const = 0;
};

}  // namespace attend::app
