#include "app/document/document_cutter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/option_name.h"
#include "core/spans.h"

namespace attend::app {
namespace {

/// Joins sentences whose border is inside of a part that is not translated.
std::vector<utf8::Span> joined_over(const std::vector<utf8::Span>& parts,
                                    const std::vector<utf8::Span>& sentences) {
  std::vector<utf8::Span> joined;
  for (const utf8::Span& sentence : sentences) {
    const utf8::Span* const part =
        joined.empty() ? nullptr : utf8::last_before(parts, joined.back().end);
    if (part != nullptr && part->end > sentence.begin) {
      joined.back().end = sentence.end;
    } else {
      joined.push_back(sentence);
    }
  }
  return joined;
}

}  // namespace

void require_one_source(const LoadedModel& model, const std::string& option) {
  const std::size_t sources = data::count_sources(model.experiment.data);
  if (sources == 1) return;
  throw UsageError(
      fmt::format("{}: the model in {} reads {} sources per line, which parts of a line do not "
                  "have; leave it out",
                  option, model.directory.string(), sources));
}

DocumentCutter::DocumentCutter(const Translator& translator, std::string_view language)
    : translator_(translator), splitter_(language) {
  require_one_source(translator.first(), option_name("document"));
}

FittedLine DocumentCutter::cut(std::string line, std::size_t most) const {
  FittedLine fitted{.line = text::cut_line(std::move(line), splitter_)};
  fitted.line.sentences =
      joined_over(translator_.protected_parts(fitted.line.text), fitted.line.sentences);
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

}  // namespace attend::app
