#include "app/align/word_link_output.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "align/attention_json.h"
#include "core/error.h"
#include "core/utf8.h"

namespace attend::app {

namespace {

std::vector<std::string> word_names(const std::string& line) {
  std::vector<std::string> words;
  for (const utf8::Span& word : utf8::word_spans(line))
    words.push_back(line.substr(word.begin, word.end - word.begin));
  return words;
}

}  // namespace

void check_words(const data::LinePair& lines, const std::string& source_file, int64_t line) {
  constexpr std::size_t kMost = std::size_t{1} << 26U;
  const std::size_t source = utf8::word_spans(lines.source).size();
  const std::size_t target = utf8::word_spans(lines.target).size();
  if (target == 0 || source <= kMost / target) return;
  throw DataError(source_file, line,
                  fmt::format("{} and {} words are too many to link; expected sentences or "
                              "verses, one per line",
                              source, target));
}

align::AttentionMatrix word_matrix(const data::LinePair& lines) {
  align::AttentionMatrix matrix{.target = word_names(lines.target),
                                .source = word_names(lines.source),
                                .target_end = false,
                                .source_end = false,
                                .weights = {},
                                .heads = {}};
  matrix.weights = align::WeightTable(matrix.target.size(), matrix.source.size());
  return matrix;
}

WordLinkOutput::WordLinkOutput(const WordLinkOptions& options, const align::LinkFile* gold)
    : options_(options), gold_(gold), file_(options.output) {}

void WordLinkOutput::add(const align::AttentionMatrix& words, const align::Links& links) {
  const std::size_t line = lines_++;
  if (gold_ != nullptr && line < gold_->size()) {
    gold_->check_inside(line,
                        {.source = std::ssize(words.source), .target = std::ssize(words.target)});
    counts_ += align::count_links(links, gold_->gold(line), options_.judge);
  }
  if (!options_.jsonl) return file_.write_line(align::format_pharaoh(links));
  align::AttentionRecord record;
  record.id = static_cast<int64_t>(line);
  record.level = align::Level::kWord;
  file_.write_line(align::attention_json(record, words));
}

std::optional<align::LinkCounts> WordLinkOutput::counts() const {
  return gold_ != nullptr ? std::optional(counts_) : std::nullopt;
}

}  // namespace attend::app
