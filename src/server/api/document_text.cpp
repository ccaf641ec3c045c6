#include "server/api/document_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/api/translate_request.h"
#include "server/http/api_error.h"

namespace attend::server {

std::string DocumentText::text() const {
  std::string text;
  for (const CutLine& line : lines) text += line.cut.line.text + line.end;
  return text;
}

std::size_t DocumentText::bytes() const {
  std::size_t bytes = 0;
  for (const CutLine& line : lines) bytes += line.cut.line.text.size() + line.end.size();
  return bytes;
}

std::vector<CutLine> lines_of(std::string_view text) {
  std::vector<CutLine> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::size_t length = end > 0 && text[end - 1] == '\r' ? end - 1 : end;
    lines.push_back({.cut = {.line = {std::string(text.substr(0, length)), {}}},
                     .end = std::string(text.substr(length, end + 1 - length))});
    text.remove_prefix(end + 1);
  }
  lines.push_back({.cut = {.line = {std::string(text), {}}}, .end = ""});
  return lines;
}

DocumentText cut_text(std::string_view text, const CutForm& form,
                      std::vector<std::string>& sentences) {
  constexpr int64_t kMostLines = 20'000;
  if (std::ranges::count(text, '\n') >= kMostLines)
    throw bad_request(
        fmt::format("a text may have at most {} lines; split the request", kMostLines));
  std::optional<app::MarkupCutter> tags;
  if (form.markup) tags.emplace(*form.markup, form.sentences);
  DocumentText result{.first = sentences.size(), .lines = lines_of(text)};
  for (CutLine& line : result.lines) {
    std::string& raw = line.cut.line.text;
    if (tags) {
      line.cut = tags->cut(std::move(raw), kMostTexts + 1);
    } else if (form.sentences != nullptr) {
      line.cut = form.sentences->cut(std::move(raw), kMostTexts + 1);
    } else {
      line.cut.line.sentences = {{0, raw.size()}};
    }
    for (std::size_t i = 0; i < line.cut.line.sentences.size(); ++i)
      sentences.emplace_back(line.cut.text(i));
    check_amount(sentences, 1);
  }
  result.sentences = sentences.size() - result.first;
  return result;
}

const app::Translation& TranslatedSentences::best(std::size_t sentence, std::size_t rank) const {
  const auto& found = translations[sentence];
  return found[std::min(rank, found.size() - 1)];
}

std::vector<SentenceOfText> sentences_of(const DocumentText& text) {
  std::vector<SentenceOfText> sentences;
  std::size_t place = text.first;
  for (const CutLine& line : text.lines) {
    for (std::size_t part = 0; part < line.cut.line.sentences.size(); ++part)
      sentences.push_back({line.cut, part, place++});
  }
  return sentences;
}

std::string translation_of(const SentenceOfText& sentence, const TranslatedSentences& all,
                           std::size_t rank) {
  return app::part_translation(sentence.line, sentence.part, all.lines[sentence.place].line,
                               all.best(sentence.place, rank), all.markup);
}

std::string translation_of(const DocumentText& text, const TranslatedSentences& all,
                           std::size_t rank) {
  std::string joined;
  std::size_t place = text.first;
  for (const CutLine& line : text.lines) {
    std::vector<std::string> parts;
    while (parts.size() < line.cut.line.sentences.size())
      parts.push_back(translation_of({line.cut, parts.size(), place++}, all, rank));
    joined += app::join_parts(line.cut, parts, all.markup) + line.end;
  }
  return joined;
}

std::size_t count_ranks(const DocumentText& text, const TranslatedSentences& all) {
  std::size_t most = 1;
  for (std::size_t i = 0; i < text.sentences; ++i)
    most = std::max(most, all.translations[text.first + i].size());
  return most;
}

}  // namespace attend::server
