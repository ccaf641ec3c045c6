#include "server/api/required_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "app/lines/source_line.h"
#include "app/terms/phrase_cutter.h"
#include "core/excerpt.h"
#include "core/spans.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

using Groups = std::vector<std::vector<decode::Phrase>>;

constexpr std::size_t kMostConstraints = 100;
constexpr std::size_t kMostTerms = 1000;
constexpr std::size_t kMostAlternatives = 100;
constexpr std::size_t kLongestTerm = 1024;  // of a text

/// A string or a list of strings.
std::vector<std::string> parse_alternatives(const nlohmann::json& given, const char* field) {
  const nlohmann::json list = given.is_array() ? given : nlohmann::json::array({given});
  std::vector<std::string> texts;
  for (const nlohmann::json& text : list) {
    if (!text.is_string())
      throw bad_request(fmt::format("\"{}\": expected strings or lists of strings", field));
    texts.push_back(text.get<std::string>());
    if (texts.back().size() > kLongestTerm)
      throw bad_request(fmt::format("\"{}\": a text exceeds {} bytes", field, kLongestTerm));
  }
  if (texts.empty() || texts.size() > kMostAlternatives)
    throw bad_request(
        fmt::format("\"{}\": expected 1 to {} alternatives", field, kMostAlternatives));
  return texts;
}

void check_texts(const app::PhraseCutter& cutter, const std::vector<std::string>& texts,
                 const char* field) {
  for (const std::string& text : texts) {
    if (const std::string problem = cutter.problem(text); !problem.empty())
      throw bad_request(fmt::format("\"{}\": \"{}\" {}", field, excerpt(text), problem));
  }
}

Groups cut_constraints(const RequiredTerms& terms, const app::PhraseCutter& cutter) {
  Groups groups;
  for (const auto& texts : terms.constraints) {
    check_texts(cutter, texts, "constraints");
    groups.push_back(cutter.cut(texts));
  }
  return groups;
}

std::optional<app::Glossary> make_glossary(const RequiredTerms& terms,
                                           const app::PhraseCutter& cutter) {
  if (terms.glossary.empty()) return std::nullopt;
  for (const app::GlossaryEntry& entry : terms.glossary)
    check_texts(cutter, entry.targets, "glossary");
  return app::Glossary(terms.glossary, cutter);
}

void add_groups(Groups found, Groups& groups) {
  std::move(found.begin(), found.end(), std::back_inserter(groups));
}

}  // namespace

RequiredTerms parse_required_terms(Fields& fields) {
  RequiredTerms terms;
  if (const nlohmann::json* list = fields.value("constraints")) {
    if (!list->is_array() || list->size() > kMostConstraints)
      throw bad_request(
          fmt::format("\"constraints\" must be a list of at most {} strings or lists of "
                      "alternatives",
                      kMostConstraints));
    for (const nlohmann::json& one : *list)
      terms.constraints.push_back(parse_alternatives(one, "constraints"));
  }
  if (const nlohmann::json* object = fields.value("glossary")) {
    if (!object->is_object() || object->size() > kMostTerms)
      throw bad_request(fmt::format(
          "\"glossary\" must be an object of at most {} source terms with their targets",
          kMostTerms));
    for (const auto& [source, targets] : object->items()) {
      if (!app::has_words(source)) throw bad_request("\"glossary\" has an empty source term");
      if (const std::string problem = app::symbol_problem(source); !problem.empty())
        throw bad_request(fmt::format("\"glossary\": \"{}\" {}", excerpt(source), problem));
      terms.glossary.push_back({source, parse_alternatives(targets, "glossary")});
    }
  }
  if (const auto mode = fields.choice("glossary_mode", enum_names<app::GlossaryMode>()))
    terms.mode = *enum_value<app::GlossaryMode>(*mode);
  return terms;
}

TermsSetter::TermsSetter(const RequiredTerms& terms, const ServedModel& model,
                         const std::shared_ptr<const app::ForbiddenWords>& forbidden)
    : terms_(terms),
      model_(model),
      cutter_(model.phrases->without(forbidden)),
      glossary_(make_glossary(terms, cutter_)) {
  const std::string problem = app::shows(terms.mode) ? app::marks_problem(model.loaded()) : "";
  if (!problem.empty())
    throw bad_request(fmt::format("\"glossary_mode\": \"{}\": the model {}; choose \"hard\"",
                                  enum_name(terms.mode), problem));
}

std::vector<text::TermMark> TermsSetter::marks(std::string_view text) const {
  if (!app::shows(terms_.mode)) return {};
  const int64_t most = app::most_marks(model_.loaded());
  std::vector<text::TermMark> marks;
  if (glossary_) marks = glossary_->marks(text, most);
  if (model_.glossary == nullptr) return marks;
  for (text::TermMark& mark : model_.glossary->marks(text, most)) {
    const bool is_free = std::ranges::none_of(marks, [&](const text::TermMark& other) {
      return utf8::share_bytes(other.span, mark.span);
    });
    if (is_free) marks.push_back(std::move(mark));
  }
  std::ranges::sort(marks, {}, [](const text::TermMark& mark) { return mark.span.begin; });
  return marks;
}

TermsSetter::Groups TermsSetter::constraints_for(const app::SourceLine& line,
                                                 const app::PhraseCutter& of_line) {
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // cut in some seconds
  if (app::parts_of(line).empty()) {
    if (!constraints_) constraints_ = cut_constraints(terms_, of_line);
    return *constraints_;
  }
  for (const auto& texts : terms_.constraints)
    for (const std::string& text : texts) bytes_cut_ += text.size();
  if (bytes_cut_ > kMostBytes)
    throw bad_request("\"constraints\" are too long for so many texts; split the request");
  return cut_constraints(terms_, of_line);
}

void TermsSetter::require(std::string_view text, app::SourceLine& line) {
  if ((terms_.empty() && model_.glossary == nullptr) || line.empty()) return;
  const app::PhraseCutter of_line = app::cutter_of(cutter_, line);
  const app::PhraseCutter* const other = app::parts_of(line).empty() ? nullptr : &of_line;
  Groups groups = constraints_for(line, of_line);
  const std::string_view read = app::part_read(text, line.line);
  const auto add_terms_of = [&](const app::Glossary& glossary) {
    add_groups(glossary.required_by(read, app::parts_of(line), other), groups);
  };
  if (glossary_ && app::forces(terms_.mode)) add_terms_of(*glossary_);
  if (model_.glossary != nullptr && app::forces(terms_.mode)) add_terms_of(*model_.glossary);
  if (groups.empty()) return;
  line.sentence.required =
      std::make_shared<const decode::RequiredPhrases>(cutter_.require(std::move(groups)));
}

}  // namespace attend::server
