#include "app/translate/word_scores.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "app/attention/sentence_attention.h"

namespace attend::app {

WordScores word_scores(const Translation& translation) {
  std::vector<double> log_probs = translation.token_log_probs;
  if (log_probs.empty()) return {};
  const TokenizedLine& line = translation.line;
  if (line.order == text::PieceOrder::kReversed)
    std::reverse(log_probs.begin(), log_probs.end() - 1);
  align::WordGroups groups = word_groups(line, /*end=*/true);
  std::vector<double> sums(groups.names.size(), 0.0);
  for (std::size_t i = 0; i < log_probs.size(); ++i) sums[groups.group_of.at(i)] += log_probs[i];
  const double sum = std::accumulate(log_probs.begin(), log_probs.end(), 0.0);
  WordScores scores;
  scores.confidence = std::exp(sum / static_cast<double>(log_probs.size()));
  scores.end = std::exp(sums.back());
  sums.pop_back();
  groups.names.pop_back();
  scores.words = std::move(groups.names);
  for (const double of_word : sums) scores.probabilities.push_back(std::exp(of_word));
  return scores;
}

bool needs_review(const WordScores& scores, std::optional<double> limit) {
  return limit && scores.confidence < *limit;
}

std::string word_scores_json(int64_t id, int64_t rank, const WordScores& scores,
                             std::optional<double> review_below) {
  const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4; };
  nlohmann::ordered_json json = {{"id", id}, {"rank", rank}};
  json["confidence"] = rounded(scores.confidence);
  json["words"] = scores.words;
  json["probabilities"] = nlohmann::json::array();
  for (const double value : scores.probabilities) json["probabilities"].push_back(rounded(value));
  json["end"] = rounded(scores.end);
  if (needs_review(scores, review_below)) json["review"] = true;
  return json.dump();
}

}  // namespace attend::app
