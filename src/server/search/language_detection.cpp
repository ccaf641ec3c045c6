#include "server/search/language_detection.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "text/long_line.h"

namespace attend::server {
namespace {

constexpr std::size_t kMostComparedBytes = 4096;
constexpr int64_t kEnoughCharacters = 20;  // more make the confidence no higher

/// How well a language explains a text.
struct Match {
  double nats = 0.0;  // per character
  bool alike = false;
  int64_t characters = 0;
};

void add(const std::string& language, const text::KnownText& known, std::string_view text,
         std::map<std::string, Match>& matches) {
  if (language.empty()) return;
  const text::Surprise surprise = known.surprise(text);
  if (surprise.characters == 0) return;
  const double nats = surprise.per_character();
  const Match match{nats, known.resembles(surprise), surprise.characters};
  const auto [place, is_new] = matches.emplace(language, match);
  if (!is_new && nats < place->second.nats) place->second = match;
}

std::map<std::string, Match> matches_of(const ServedModels& models, std::string_view text) {
  std::map<std::string, Match> matches;
  for (const auto& model : models.all()) {
    const auto& known = model->loaded().known;
    if (!known) continue;
    add(model->source_language, known->source(), text, matches);
    add(model->target_language, known->target(), text, matches);
  }
  return matches;
}

}  // namespace

std::vector<DetectedLanguage> detect_languages(const ServedModels& models, std::string_view text) {
  if (text.empty()) return {};
  const auto matches = matches_of(models, text::parts_of_line(text, kMostComparedBytes).front());
  if (matches.empty()) return {};
  const Match best = std::ranges::min_element(matches, {}, [](const auto& match) {
                       return match.second.nats;
                     })->second;
  if (!best.alike) return {};
  std::vector<DetectedLanguage> languages;
  double sum = 0.0;
  for (const auto& [code, match] : matches) {
    const auto characters = static_cast<double>(std::min(best.characters, kEnoughCharacters));
    languages.push_back({code, std::exp((best.nats - match.nats) * characters)});
    sum += languages.back().confidence;
  }
  for (DetectedLanguage& language : languages) language.confidence *= 100.0 / sum;
  std::ranges::sort(languages, std::ranges::greater{}, &DetectedLanguage::confidence);
  return languages;
}

}  // namespace attend::server
