#include "app/document/document_lines.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/log.h"

namespace attend::app {
namespace {

std::string_view name_of(text::CutAt cut_at) {
  switch (cut_at) {
    case text::CutAt::kClauses:
      return "after clauses";
    case text::CutAt::kWords:
      return "between words";
    default:
      return "inside words";
  }
}

}  // namespace

DocumentLines::DocumentLines(LineReader& input, const DocumentForm& form, OutputFile& output)
    : input_(input),
      form_(form),
      constraints_(input, form.constraints, "list of constraints"),
      output_(output) {
  if (form.markup) markup_.emplace(form.markup->markup, form.sentences);
}

std::optional<InputLine> DocumentLines::next() {
  if (!has_unread() && !read_line()) return std::nullopt;
  ++texts_;
  Line& line = lines_.back();
  InputLine text{
      .text = {}, .prefix = {}, .constraints = line.constraints, .number = input_.line_number()};
  if (!line.text.line.sentences.empty()) text.text = line.text.text(line.read++);
  return text;
}

bool DocumentLines::has_unread() const {
  return !lines_.empty() && lines_.back().read < lines_.back().text.line.sentences.size();
}

bool DocumentLines::read_line() {
  auto line = input_.next();
  std::string constraints = constraints_.next(line);
  if (!line) return false;
  FittedLine fitted = markup_ ? markup_->cut(std::move(*line)) : form_.sentences->cut(*line);
  const std::size_t texts = fitted.line.sentences.size();
  if (texts > 1 && !constraints.empty()) {
    throw DataError(form_.constraints, input_.line_number(),
                    fmt::format("has constraints for a line that the markup cuts into {} texts; "
                                "put each on a line of its own",
                                texts));
  }
  warn_if_cut(fitted.cut_at);
  note_open_part();
  lines_.push_back({.text = std::move(fitted),
                    .end = std::string(input_.line_end()),
                    .constraints = std::move(constraints)});
  return true;
}

void DocumentLines::warn_if_cut(text::CutAt cut_at) {
  if (cut_at == text::CutAt::kNowhere || !long_lines_.add()) return;
  log::warning(
      "line {} has a sentence of more pieces than the model's limit (data.max_length); it was cut "
      "{}, and each part is translated by itself",
      input_.line_number(), name_of(cut_at));
}

void DocumentLines::note_open_part() {
  if (!markup_ || markup_->open_part().empty()) {
    open_since_ = 0;
  } else if (open_since_ == 0) {
    open_since_ = input_.line_number();
  }
}

bool DocumentLines::would_block() const {
  return !has_unread() && input_.would_block();
}

LineMeter::Place DocumentLines::place() const {
  return {texts_, input_.share_read()};
}

void DocumentLines::warn_about_changes() const {
  warn_about_repairs(input_);
  constraints_.warn_about_repairs();
  if (long_lines_.has_unnamed())
    log::warning("sentences of {} lines were cut because they were too long", long_lines_.count());
  if (open_since_ > 0)
    log::warning(
        "line {} begins a part of the markup that does not end (\"{}\"); nothing after it "
        "was translated",
        open_since_, markup_->open_part());
}

void DocumentLines::add(const TranslatedLine& sentence) {
  Line& line = lines_.front();
  const std::size_t count = line.text.line.sentences.size();
  if (count > 0)
    line.translations.push_back(part_translation(line.text, line.translations.size(),
                                                 sentence.source.line,
                                                 sentence.translations.front(), form_.markup));
  if (line.translations.size() < count) return;
  output_.write(join_parts(line.text, line.translations, form_.markup) + line.end);
  lines_.pop_front();
}

}  // namespace attend::app
