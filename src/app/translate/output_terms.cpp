#include "app/translate/output_terms.h"

#include <iterator>
#include <utility>

#include "app/lines/source_line.h"
#include "app/terms/constraint_lines.h"
#include "app/terms/line_protection.h"
#include "core/error.h"

namespace attend::app {

std::string marks_problem(const LoadedModel& model) {
  if (data::count_sources(model.experiment.data) > 1) return "reads several sources";
  return text::has_term_symbols(*model.source) ? "" : "was trained without data.terms";
}

int64_t most_marks(const LoadedModel& model) {
  constexpr int64_t kPieces = 4;
  return model.experiment.data.max_length / kPieces;
}

std::span<const utf8::Span> parts_of(const SourceLine& line) {
  return line.protection == nullptr ? std::span<const utf8::Span>() : line.protection->parts();
}

PhraseCutter cutter_of(const PhraseCutter& cutter, const SourceLine& line) {
  if (line.protection == nullptr) return cutter;
  return cutter.rewriting([protection = line.protection](std::string_view text) {
    return protection->with_placeholders(text);
  });
}

TermSetter::TermSetter(const OutputTerms& terms, const LoadedModel& model)
    : terms_(terms), most_marks_(most_marks(model)) {
  if (!terms.constraints.empty() || terms.glossary != nullptr)
    cutter_.emplace(model.target, terms.forbidden);
}

std::vector<text::TermMark> TermSetter::marks(std::string_view text) const {
  if (terms_.glossary == nullptr || !shows(terms_.mode)) return {};
  return terms_.glossary->marks(text, most_marks_);
}

void TermSetter::set(std::string_view text, std::string_view constraints, SourceLine& line) const {
  line.sentence.constraint = terms_.forbidden;
  if (!cutter_) return;
  const PhraseCutter cutter = cutter_of(*cutter_, line);
  auto groups = parse_constraints(constraints, {terms_.constraints, line.number}, cutter);
  if (!groups.empty() && line.empty()) {
    throw DataError(
        terms_.constraints, line.number,
        "has constraints for an empty line, whose translation is empty; leave it empty");
  }
  if (terms_.glossary != nullptr && forces(terms_.mode)) {
    auto found = terms_.glossary->required_by(part_read(text, line.line), parts_of(line),
                                              parts_of(line).empty() ? nullptr : &cutter);
    std::move(found.begin(), found.end(), std::back_inserter(groups));
  }
  if (groups.empty()) return;
  line.sentence.required =
      std::make_shared<const decode::RequiredPhrases>(cutter_->require(std::move(groups)));
}

}  // namespace attend::app
