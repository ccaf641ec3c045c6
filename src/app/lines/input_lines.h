#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/lines/line_source.h"
#include "core/file.h"

namespace attend::app {

/// A file with a line for each line of the input; without a file, all its lines are empty.
class SideLines {
 public:
  /// Borrows the input. `path`: empty for no file; `one`: the name of an entry, for messages.
  SideLines(LineReader& input, const std::filesystem::path& path, const char* one);

  /// The line that belongs to `text`, which the input has just returned (nothing: its end). Throws
  /// DataError if the file has more or fewer lines than the input.
  [[nodiscard]] std::string next(const std::optional<std::string>& text);
  void warn_about_repairs() const;

 private:
  [[noreturn]] void report_line_counts();

  LineReader& input_;
  const char* one_;
  std::optional<LineReader> lines_;
};

/// The input with the prefix and the constraints of each line.
class InputLines final : public LineSource {
 public:
  /// Borrows the input. Empty paths: no such file.
  InputLines(LineReader& input, const std::filesystem::path& prefixes,
             const std::filesystem::path& constraints);

  /// The next line, or nothing at the end. Throws as SideLines::next().
  std::optional<InputLine> next() override;
  [[nodiscard]] bool would_block() const override { return input_.would_block(); }
  [[nodiscard]] LineMeter::Place place() const override {
    return {input_.line_number(), input_.share_read()};
  }
  void warn_about_changes() const override;

 private:
  LineReader& input_;
  SideLines prefixes_;
  SideLines constraints_;
};

}  // namespace attend::app
