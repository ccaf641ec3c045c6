#include "app/lines/source_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/closest_name.h"
#include "core/error.h"
#include "text/long_line.h"
#include "text/vocabulary.h"

namespace attend::app {
namespace {

std::vector<std::string_view> parts_of(std::string_view line) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t tab = line.find(kBetweenSources); tab != std::string_view::npos;
       tab = line.find(kBetweenSources, begin)) {
    parts.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  parts.push_back(line.substr(begin));
  return parts;
}

std::vector<std::string_view> sources_of(const LoadedModel& model, std::string_view line,
                                         int64_t number) {
  const std::size_t count = data::count_sources(model.experiment.data);
  if (count == 1 || line.empty()) return std::vector(count, line);
  std::vector<std::string_view> parts = parts_of(line);
  if (parts.size() == count) return parts;
  throw DataError(fmt::format(
      "line {} has {}, but the model in {} reads {} per line: {}, in this order, separated by tabs "
      "(join one file per source with: paste FILE FILE)",
      number, parts.size() == 1 ? "1 source" : fmt::format("{} sources", parts.size()),
      model.directory.string(), count, join(data::source_names(model.experiment.data))));
}

/// Adds the end symbol before the source that begins at byte `begin` of the line.
void append_end(SourcePieces& all, std::size_t begin, const std::string& end) {
  all.line.ids.push_back(text::kEos);
  all.line.pieces.push_back(end);
  all.line.spans.push_back({begin > 0 ? begin - 1 : 0, begin});  // an empty line has no tab
}

/// Adds the pieces of a source that begins at byte `begin` of the line.
void append(SourcePieces& all, SourcePieces one, std::size_t begin) {
  std::ranges::copy(one.line.ids, std::back_inserter(all.line.ids));
  std::ranges::move(one.line.pieces, std::back_inserter(all.line.pieces));
  for (const utf8::Span& span : one.line.spans)
    all.line.spans.push_back({span.begin + begin, span.end + begin});
  all.dropped += one.dropped;
  all.counted = all.counted && one.counted;
}

}  // namespace

SourcePieces cut_source(const text::Tokenizer& tokenizer, std::string_view line, int64_t limit) {
  const std::string_view beginning = text::enough_of(line, tokenizer, limit);
  SourcePieces pieces{tokenize_line(tokenizer, beginning), 0, beginning.size() == line.size()};
  pieces.dropped = cut(pieces.line, limit);
  return pieces;
}

SourcePieces cut_source(const LoadedModel& model, std::string_view line, int64_t limit,
                        int64_t number) {
  SourcePieces all;
  const auto sources = sources_of(model, line, number);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto begin = static_cast<std::size_t>(sources[i].data() - line.data());
    if (i > 0) append_end(all, begin, model.source->piece(text::kEos));
    append(all, cut_source(*model.source, sources[i], limit), begin);
  }
  all.line.text = line;
  // A tab must separate words like a space does.
  if (data::count_sources(model.experiment.data) > 1)
    std::ranges::replace(all.line.text, kBetweenSources, ' ');
  all.line.order = model.source->order();
  return all;
}

std::string token_between(const LoadedModel& model, align::Level level) {
  const data::DataOptions& data = model.experiment.data;
  if (data::count_sources(data) == 1) return data.segments.separator;
  return level == align::Level::kPiece ? model.source->piece(text::kEos) : "";
}

std::string_view part_read(std::string_view line, const TokenizedLine& source) {
  std::size_t end = 0;
  for (const utf8::Span& span : source.spans) end = std::max(end, span.end);
  return line.substr(0, end);
}

bool is_empty(const TokenizedLine& source) {
  return std::ranges::all_of(source.ids, [](text::TokenId id) { return id == text::kEos; });
}

}  // namespace attend::app
