#include "align/word_merge.h"

#include <algorithm>
#include <stdexcept>

namespace attend::align {
namespace {

std::size_t overlap(const utf8::Span& a, const utf8::Span& b) {
  const std::size_t begin = std::max(a.begin, b.begin);
  const std::size_t end = std::min(a.end, b.end);
  return end > begin ? end - begin : 0;
}

std::size_t word_of(const utf8::Span& piece, std::span<const utf8::Span> words) {
  // The first word that ends after the start of the piece; earlier words cannot share bytes.
  const auto first = std::ranges::upper_bound(words, piece.begin, {}, &utf8::Span::end);
  if (first == words.end()) return words.size() - 1;
  auto best = first;
  for (auto word = first; word != words.end() && word->begin < piece.end; ++word) {
    if (overlap(*word, piece) > overlap(*best, piece)) best = word;
  }
  return static_cast<std::size_t>(best - words.begin());
}

WeightTable merge_table(const WeightTable& table, const WordGroups& target,
                        const WordGroups& source) {
  std::vector<float> pieces_of(target.names.size());
  for (const std::size_t word : target.group_of) pieces_of[word] += 1.0F;
  WeightTable merged(target.names.size(), source.names.size());
  for (std::size_t t = 0; t < table.rows(); ++t) {
    const std::size_t row = target.group_of[t];
    for (std::size_t s = 0; s < table.columns(); ++s)
      merged(row, source.group_of[s]) += table(t, s) / pieces_of[row];
  }
  return merged;
}

void check_groups(const WordGroups& groups, std::size_t tokens, const char* side) {
  if (groups.group_of.size() == tokens) return;
  throw std::logic_error(
      std::string("merge_to_words: numbers of groups and tokens differ on the ") + side + " side");
}

}  // namespace

WordGroups group_by_words(std::string_view line, std::span<const utf8::Span> spans, bool end,
                          std::string_view end_name) {
  return group_by_spans(line, utf8::word_spans(line), spans, end, end_name);
}

WordGroups group_by_spans(std::string_view line, std::span<const utf8::Span> words,
                          std::span<const utf8::Span> spans, bool end, std::string_view end_name) {
  if (words.empty() && !spans.empty() && !end)
    throw std::logic_error("group_by_spans: the line has pieces but no words");
  WordGroups groups;
  groups.end = end;
  for (const utf8::Span& word : words)
    groups.names.emplace_back(line.substr(word.begin, word.end - word.begin));
  for (const utf8::Span& piece : spans)
    groups.group_of.push_back(words.empty() ? 0 : word_of(piece, words));
  if (!end) return groups;
  groups.group_of.push_back(groups.names.size());
  groups.names.emplace_back(end_name);
  return groups;
}

AttentionMatrix merge_to_words(const AttentionMatrix& pieces, const WordGroups& target,
                               const WordGroups& source) {
  check_groups(target, pieces.target.size(), "target");
  check_groups(source, pieces.source.size(), "source");
  AttentionMatrix words{.target = target.names,
                        .source = source.names,
                        .target_end = target.end,
                        .source_end = source.end,
                        .weights = {},
                        .heads = {}};
  if (pieces.has_weights()) words.weights = merge_table(pieces.weights, target, source);
  for (const WeightTable& head : pieces.heads)
    words.heads.push_back(merge_table(head, target, source));
  return words;
}

}  // namespace attend::align
