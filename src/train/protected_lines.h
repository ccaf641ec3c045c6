#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace attend::train {

/// Reads and writes the lines of a validation set whose parts are not translated (data.protect), as
/// `translate` does. An interface, because that is the work of a higher layer.
class ProtectedLines {
 public:
  virtual ~ProtectedLines() = default;
  /// The pieces that the model reads for line `line`, from 0, without the end symbol.
  [[nodiscard]] virtual const std::vector<text::TokenId>& source(std::size_t line) const = 0;
  /// The text of a translation of the line.
  [[nodiscard]] virtual std::string text(std::size_t line,
                                         std::span<const text::TokenId> translation) const = 0;
};

}  // namespace attend::train
