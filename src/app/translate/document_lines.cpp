#include "app/translate/document_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

void require_one_source(const LoadedModel& model) {
  const std::size_t sources = data::count_sources(model.experiment.data);
  if (sources == 1) return;
  throw UsageError(
      fmt::format("{}: the model in {} reads {} sources per line, which sentences of a "
                  "document do not have; leave it out",
                  option_name("document"), model.directory.string(), sources));
}

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

DocumentCutter::DocumentCutter(const Translator& translator, std::string_view language)
    : translator_(translator), splitter_(language) {
  require_one_source(translator.first());
}

FittedLine DocumentCutter::cut(std::string line, std::size_t most) const {
  FittedLine fitted{.line = text::cut_line(std::move(line), splitter_)};
  std::vector<utf8::Span> all;
  const auto fits = [&](std::string_view part) { return translator_.fits(part); };
  for (const utf8::Span& sentence : fitted.line.sentences) {
    if (all.size() >= most) break;
    const text::SentenceParts cut =
        text::cut_sentence(fitted.line.text, sentence, fits, most - all.size());
    all.insert(all.end(), cut.parts.begin(), cut.parts.end());
    fitted.cut_at = std::max(fitted.cut_at, cut.cut_at);
  }
  fitted.line.sentences = std::move(all);
  return fitted;
}

std::optional<InputLine> DocumentLines::next() {
  if (!has_unread() && !read_line()) return std::nullopt;
  ++texts_;
  Line& line = lines_.back();
  InputLine text{.text = {}, .prefix = {}, .constraints = {}, .number = input_.line_number()};
  if (!line.text.sentences.empty()) text.text = line.text.sentence(line.read++);
  return text;
}

bool DocumentLines::has_unread() const {
  return !lines_.empty() && lines_.back().read < lines_.back().text.sentences.size();
}

bool DocumentLines::read_line() {
  auto line = input_.next();
  if (!line) return false;
  FittedLine fitted = cutter_.cut(std::move(*line));
  warn_if_cut(fitted.cut_at);
  lines_.push_back({.text = std::move(fitted.line), .end = std::string(input_.line_end())});
  return true;
}

void DocumentLines::warn_if_cut(text::CutAt cut_at) {
  if (cut_at == text::CutAt::kNowhere || !long_lines_.add()) return;
  log::warning(
      "line {} has a sentence of more pieces than the model's limit (data.max_length); it was cut "
      "{}, and each part is translated by itself",
      input_.line_number(), name_of(cut_at));
}

bool DocumentLines::would_block() const {
  return !has_unread() && input_.would_block();
}

LineMeter::Place DocumentLines::place() const {
  return {texts_, input_.share_read()};
}

void DocumentLines::warn_about_changes() const {
  warn_about_repairs(input_);
  if (long_lines_.count() > 1)
    log::warning("sentences of {} lines were cut because they were too long", long_lines_.count());
}

void DocumentLines::add(const TranslatedLine& sentence) {
  Line& line = lines_.front();
  const std::size_t count = line.text.sentences.size();
  if (count > 0) line.translations.push_back(sentence.translations.front().line.text);
  if (line.translations.size() < count) return;
  output_.write(text::join_line(line.text, line.translations) + line.end);
  lines_.pop_front();
}

}  // namespace attend::app
