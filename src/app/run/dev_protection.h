#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/terms/line_protection.h"
#include "data/corpus_reader.h"
#include "data/dev_set.h"
#include "data/options.h"
#include "train/protected_lines.h"

namespace attend::app {

/// The lines of a validation set as `translate` reads and writes them with data.protect. Unlike
/// `translate`, validation does not search again if a translation lacks protected texts: they are
/// added at its end.
class DevProtection final : public train::ProtectedLines {
 public:
  /// Borrows the tokenizers. Requires: they have pieces for all placeholders, and the set has one
  /// source.
  DevProtection(const data::DevSet& dev, const data::DataOptions& options,
                const data::TokenizerPair& tokenizers);

  [[nodiscard]] const std::vector<text::TokenId>& source(std::size_t line) const override {
    return lines_.at(line).source;
  }
  [[nodiscard]] std::string text(std::size_t line,
                                 std::span<const text::TokenId> translation) const override;

 private:
  struct Line {
    std::vector<text::TokenId> source;
    std::shared_ptr<const LineProtection> protection;
  };

  const text::Tokenizer& target_;
  std::vector<Line> lines_;
};

}  // namespace attend::app
