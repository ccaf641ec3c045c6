#include "app/translate/word_lexicon.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/signal.h"
#include "core/utf8.h"
#include "data/example_reader.h"
#include "data/guide_reader.h"
#include "text/characters.h"

namespace attend::app {
namespace {

/// How often each target word is linked to a source word.
using LinkCounts = std::map<std::string, int64_t, std::less<>>;
using Dictionary = std::map<std::string, LinkCounts, std::less<>>;

void add_links(const data::Example& pair, const align::Links& links, Dictionary& words) {
  const std::string& source = pair.sources.front();
  const std::vector<utf8::Span> source_words = utf8::word_spans(source);
  const std::vector<utf8::Span> target_words = utf8::word_spans(pair.target);
  const auto word_of = [](std::string_view line, const std::vector<utf8::Span>& all, int64_t i) {
    return std::string(text::text_of(line, all.at(static_cast<std::size_t>(i))));
  };
  for (const align::Link& link : links)
    ++words[word_of(source, source_words, link.source)]
           [word_of(pair.target, target_words, link.target)];
}

int64_t write_row(const std::string& source, const LinkCounts& counts, OutputFile& output) {
  constexpr double kAtLeast = 0.001;
  double all = 0.0;
  for (const auto& [target, count] : counts) all += static_cast<double>(count);
  std::vector<std::pair<std::string, int64_t>> row(counts.begin(), counts.end());
  std::ranges::stable_sort(row, std::greater<>(), &std::pair<std::string, int64_t>::second);
  int64_t lines = 0;
  for (const auto& [target, count] : row) {
    const double share = static_cast<double>(count) / all;
    if (share < kAtLeast) break;
    output.write_line(fmt::format("{} {} {:.6g}", target, source, share));
    ++lines;
  }
  return lines;
}

}  // namespace

WordLexiconCount make_word_lexicon(const WordLexiconRequest& request) {
  OutputFile output(request.output);
  const data::ExampleFiles files(request.source, request.target);
  data::ExampleReader pairs(files);
  data::GuideReader links(request.links, files);
  Dictionary words;
  while (const auto pair = pairs.next()) {
    stop_if_requested("stopped by a signal; nothing was written");
    add_links(*pair, links.next(*pair), words);
  }
  links.finish();
  data::warn_about_repairs(pairs.repairs());
  if (words.empty()) throw DataError(request.links, "has no links");
  WordLexiconCount count{.pairs = pairs.line_number()};
  for (const auto& [source, counts] : words) count.entries += write_row(source, counts, output);
  output.commit();
  return count;
}

}  // namespace attend::app
