#include "server/api/required_terms.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/translate/output_terms.h"
#include "app/translate/phrase_cutter.h"
#include "app/translate/source_line.h"
#include "core/excerpt.h"
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
      terms.glossary.push_back({source, parse_alternatives(targets, "glossary")});
    }
  }
  return terms;
}

void require_terms(const RequiredTerms& terms, const ServedModel& model,
                   const std::shared_ptr<const app::ForbiddenWords>& forbidden,
                   const std::vector<std::string>& texts, std::vector<app::SourceLine>& lines) {
  if (terms.empty() && model.glossary == nullptr) return;
  const app::PhraseCutter cutter = model.phrases->without(forbidden);
  const bool has_parts = !lines.empty() && lines.front().protection != nullptr;
  const Groups constraints = has_parts ? Groups() : cut_constraints(terms, cutter);
  const std::optional<app::Glossary> glossary = make_glossary(terms, cutter);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const app::PhraseCutter of_line = app::cutter_of(cutter, lines[i]);
    const app::PhraseCutter* const other = has_parts ? &of_line : nullptr;
    Groups groups = has_parts ? cut_constraints(terms, of_line) : constraints;
    const std::string_view text = app::part_read(texts[i], lines[i].line);
    if (glossary) add_groups(glossary->required_by(text, other), groups);
    if (model.glossary != nullptr) add_groups(model.glossary->required_by(text, other), groups);
    if (groups.empty()) continue;
    lines[i].sentence.required =
        std::make_shared<const decode::RequiredPhrases>(cutter.require(std::move(groups)));
  }
}

}  // namespace attend::server
