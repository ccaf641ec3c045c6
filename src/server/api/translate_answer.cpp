#include "server/api/translate_answer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "data/batch.h"
#include "decode/forced/alternatives.h"
#include "server/api/kinds_json.h"

namespace attend::server {
namespace {

using nlohmann::json;

/// Rounds to six decimals, which are precise enough for display.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

json table_json(const align::WeightTable& table) {
  json rows = json::array();
  for (std::size_t i = 0; i < table.rows(); ++i) {
    json row = json::array();
    for (std::size_t j = 0; j < table.columns(); ++j)
      row.push_back(rounded(static_cast<double>(table(i, j))));
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_expectations(const std::vector<decode::Expectation>& positions,
                      const text::Tokenizer& tokenizer, json& hypothesis) {
  for (const decode::Expectation& position : positions) {
    hypothesis["log_probs"].push_back(rounded(position.log_prob));
    hypothesis["entropy"].push_back(rounded(position.entropy));
    json best = json::array();
    for (const decode::Alternative& one : position.best)
      best.push_back(
          {{"piece", tokenizer.piece(one.token)}, {"probability", rounded(one.probability)}});
    hypothesis["alternatives"].push_back(std::move(best));
  }
}

json hypothesis_json(const TranslateRequest& request, const app::SourceLine& line,
                     const app::Translation& translation) {
  json result = {{"text", translation.line.text},
                 {"score", translation.score},
                 {"log_prob", translation.log_prob},
                 {"finished", translation.finished},
                 {"pieces", pieces_json(translation.line)}};
  if (request.attention && (translation.attention.defined() || request.kinds.any())) {
    result["attention"] = matrix_json(app::attention_matrix(
        {line.line, translation.line, translation.attention, translation.heads},
        *request.attention));
    add_kinds(
        app::attention_kinds({line.line, translation.line, translation.maps}, *request.attention),
        result["attention"]);
  }
  return result;
}

json hypotheses_json(const TranslateRequest& request, const app::SourceLine& line,
                     const std::vector<app::Translation>& translations) {
  json result = json::array();
  std::vector<std::vector<text::TokenId>> targets;
  for (const app::Translation& translation : translations) {
    result.push_back(hypothesis_json(request, line, translation));
    targets.push_back(translation.line.ids);
  }
  if (request.alternatives == 0 || line.empty()) return result;
  const app::LoadedModel& model = request.model->loaded();
  const std::vector sources(targets.size(), line.sentence.sources.front());
  const auto expected = decode::expectations(*model.model, data::pad(sources), targets,
                                             request.alternatives, request.forced_attention);
  for (std::size_t i = 0; i < expected.size(); ++i)
    add_expectations(expected[i], *model.target, result[i]);
  return result;
}

json tree_json(const decode::BeamTree& tree, const text::Tokenizer& tokenizer) {
  constexpr const char* kStates[] = {"alive", "ended", "pruned"};
  json nodes = json::array();
  for (const decode::BeamNode& node : tree.nodes()) {
    nodes.push_back({{"id", nodes.size()},
                     {"parent", node.parent},
                     {"step", node.step},
                     {"piece", tokenizer.piece(node.token)},
                     {"log_prob", rounded(node.log_prob)},
                     {"state", kStates[static_cast<std::size_t>(node.state)]}});
  }
  return {{"nodes", std::move(nodes)}};
}

/// Hypothesis `rank` of a text: joins this hypothesis, or the last one, of each sentence.
json joined_hypothesis(const DocumentText& text, const TranslatedSentences& all, std::size_t rank) {
  json result = {{"score", 0.0},
                 {"log_prob", 0.0},
                 {"finished", true},
                 {"text", translation_of(text, all, rank)}};
  for (std::size_t i = text.first; i < text.first + text.sentences; ++i) {
    const app::Translation& one = all.best(i, rank);
    result["score"] = result["score"].get<double>() + one.score;
    result["log_prob"] = result["log_prob"].get<double>() + one.log_prob;
    result["finished"] = result["finished"].get<bool>() && one.finished;
  }
  return result;
}

/// The source of a text, with the number of pieces beyond the model's limit.
json source_json(const DocumentText& text, const TranslatedSentences& all) {
  int64_t dropped = 0;
  bool counted = true;
  for (const app::SourceLine& line : all.lines.subspan(text.first, text.sentences)) {
    dropped += line.dropped;
    counted = counted && line.counted;
  }
  return {{"text", text.text()}, {"dropped", dropped}, {"dropped_more", !counted}};
}

json document_json(const TranslateRequest& request, const DocumentText& text,
                   const TranslatedSentences& all) {
  json result = {{"source", source_json(text, all)}};
  for (std::size_t rank = 0; rank < count_ranks(text, all); ++rank)
    result["hypotheses"].push_back(joined_hypothesis(text, all, rank));
  if (!request.document) return result;
  result["sentences"] = json::array();
  for (const SentenceOfText& sentence : sentences_of(text))
    result["sentences"].push_back(sentence_json(sentence, all));
  return result;
}

}  // namespace

json pieces_json(const app::TokenizedLine& line) {
  json pieces = line.pieces;
  pieces.push_back("</s>");
  return pieces;
}

json matrix_json(const align::AttentionMatrix& matrix) {
  json result = {{"source", matrix.source},
                 {"target", matrix.target},
                 {"weights", table_json(matrix.weights)}};
  for (const align::WeightTable& head : matrix.heads) result["heads"].push_back(table_json(head));
  return result;
}

json sentence_json(const SentenceOfText& sentence, const TranslatedSentences& all) {
  return {{"source", std::string(sentence.line.text(sentence.part))},
          {"text", translation_of(sentence, all, 0)},
          {"log_prob", all.best(sentence.place, 0).log_prob}};
}

json translate_answer(const TranslateRequest& request, const std::vector<app::SourceLine>& lines,
                      const std::vector<std::vector<app::Translation>>& translations,
                      const decode::BeamTree* tree) {
  json answer = {{"model", request.model->name}, {"translations", json::array()}};
  if (!request.documents.empty()) {
    const TranslatedSentences all{lines, translations, request.markup};
    for (const DocumentText& text : request.documents)
      answer["translations"].push_back(document_json(request, text, all));
    return answer;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    json one = {{"source",
                 {{"text", lines[i].line.text},
                  {"pieces", pieces_json(lines[i].line)},
                  {"dropped", lines[i].dropped},
                  {"dropped_more", !lines[i].counted}}},
                {"hypotheses", hypotheses_json(request, lines[i], translations[i])}};
    if (tree != nullptr) one["tree"] = tree_json(*tree, *request.model->loaded().target);
    answer["translations"].push_back(std::move(one));
  }
  return answer;
}

}  // namespace attend::server
