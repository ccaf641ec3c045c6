#include "app/lines/input_lines.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace attend::app {

SideLines::SideLines(LineReader& input, const std::filesystem::path& path, const char* one)
    : input_(input), one_(one) {
  if (!path.empty()) lines_.emplace(path);
}

std::string SideLines::next(const std::optional<std::string>& text) {
  if (!lines_) return "";
  auto line = lines_->next();
  if (text.has_value() != line.has_value()) report_line_counts();
  return std::move(line).value_or("");
}

void SideLines::warn_about_repairs() const {
  if (lines_) attend::warn_about_repairs(*lines_);
}

void SideLines::report_line_counts() {
  while (input_.next()) {
  }
  while (lines_->next()) {
  }
  throw DataError(fmt::format(
      "{} has {} lines, but {} has {}; give one {} (or an empty line) for each line to translate",
      input_.path().string(), input_.line_number(), lines_->path().string(), lines_->line_number(),
      one_));
}

InputLines::InputLines(LineReader& input, const std::filesystem::path& prefixes,
                       const std::filesystem::path& constraints)
    : input_(input),
      prefixes_(input, prefixes, "prefix"),
      constraints_(input, constraints, "list of constraints") {}

std::optional<InputLine> InputLines::next() {
  auto text = input_.next();
  auto prefix = prefixes_.next(text);
  auto constraints = constraints_.next(text);
  if (!text) return std::nullopt;
  return InputLine{std::move(*text), std::move(prefix), std::move(constraints),
                   input_.line_number()};
}

void InputLines::warn_about_changes() const {
  attend::warn_about_repairs(input_);
  prefixes_.warn_about_repairs();
  constraints_.warn_about_repairs();
}

}  // namespace attend::app
